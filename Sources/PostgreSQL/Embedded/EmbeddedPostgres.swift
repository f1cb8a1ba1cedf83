// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Logging

/// A private PostgreSQL cluster in the server's data folder, reached through a Unix socket only.
///
/// The cluster runs until ``stop()`` or the end of the process, even if this value is released. If the process is
/// killed, the cluster shuts down by itself (see ``Options/diesWithParent``) and the next ``start(_:logger:progress:)``
/// recovers it. If PostgreSQL itself is killed, it is restarted.
public final class EmbeddedPostgres: Sendable {
  let cluster: Cluster
  private let address: ClusterAddress

  private init(cluster: Cluster, address: ClusterAddress) {
    self.cluster = cluster
    self.address = address
  }

  /// Takes the data folder's lock, initializes a cluster if there is none, starts or adopts it, waits until it answers.
  ///
  /// A first start takes about two seconds, a later one a fraction of a second; recovery after a crash may take up to
  /// ten minutes, and `progress` is called. Canceling the task stops the cluster and releases the folder.
  /// - Throws: ``EmbeddedPostgresError``; `CancellationError` when the task was canceled.
  public static func start(
    _ options: Options, logger: Logger, progress: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> EmbeddedPostgres {
    let cluster = Cluster(options: options, logger: logger, progress: progress)
    let address = try await withTaskCancellationHandler {
      try await cluster.open()
    } onCancel: {
      cluster.monitor.requestStop()
    }
    return EmbeddedPostgres(cluster: cluster, address: address)
  }

  /// The connection string of a cluster that another process runs in this data folder; nil when none does.
  ///
  /// For commands that join a running server. It is valid while that process keeps the cluster running.
  public static func runningDSN(dataFolder: String) -> String? {
    DataFolderLock.announcedAddress(folder: dataFolder)?
      .dsn(user: ClusterAddress.role, database: ClusterAddress.database)
  }

  /// A cluster that another process runs, which does not stop it before ``end()``, unless it is killed or is a server.
  public struct Joined: Sendable {
    /// See ``EmbeddedPostgres/runningDSN(dataFolder:)``.
    public let dsn: String
    private let use: ClusterUse

    /// - Returns: nil where no other process runs a cluster in this data folder, or it is about to stop it.
    public init?(dataFolder: String) {
      guard let use = ClusterUse(folder: dataFolder, alone: false) else { return nil }
      // Only now: it may have been stopped before.
      guard let dsn = runningDSN(dataFolder: dataFolder) else {
        use.end()
        return nil
      }
      (self.dsn, self.use) = (dsn, use)
    }

    /// Call it once.
    public func end() { use.end() }
  }

  /// The same for maintenance: as the cluster's superuser, to its database `postgres`.
  public static func runningMaintenanceDSN(dataFolder: String) -> String? {
    DataFolderLock.announcedAddress(folder: dataFolder)?.maintenanceDSN
  }

  /// The connection string of the database `ringfence`, which exists and belongs to the connecting role.
  public var dsn: String { dsn(database: ClusterAddress.database) }

  /// The connection string of another database of the cluster, for the same role.
  public func dsn(database: String) -> String {
    address.dsn(user: ClusterAddress.role, database: database)
  }

  /// The process id of the postmaster; nil while there is none. It changes when PostgreSQL is restarted.
  public var postmasterPID: Int32? { cluster.monitor.postmasterPID }

  /// The end of the recovery that the options asked for; nil without one.
  /// - Throws: ``EmbeddedPostgresError/databaseUnavailable(reason:)``.
  public func replayed() async throws -> Replayed? { try await cluster.replayed() }

  /// Shuts the cluster down (fast; immediate after a minute) and releases the data folder's lock. Idempotent.
  /// - Throws: ``EmbeddedPostgresError/stopFailed(pid:)`` when the postmaster does not end after SIGKILL.
  public func stop() async throws {
    cluster.monitor.requestStop()
    try await cluster.close()
  }

  /// The same after all processes that have ``Joined`` the cluster have ended their use.
  public func stopAfterOthers() async throws {
    guard let folder = await cluster.dataFolder else { return try await stop() }
    var use = ClusterUse(folder: folder, alone: true)
    while use == nil, access(folder, R_OK) == 0, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(50))
      use = ClusterUse(folder: folder, alone: true)
    }
    defer { use?.end() }
    try await stop()
  }
}

extension EmbeddedPostgres {
  public struct Options: Sendable {
    /// The server's data folder; the cluster is in its subfolder `postgresql`.
    public var dataFolder: String
    /// Folder with `postgres` and `initdb`; nil searches Debian's folders and PATH.
    public var programs: String?
    /// Settings for postgresql.conf, which override the defaults.
    public var settings: [String: String]
    /// Whether a commit survives a crash of the machine. False only for tests: fsync and full_page_writes are off, yet
    /// a killed process loses no commit.
    public var durable: Bool
    public var archiving: Archiving
    /// Recovery from a base backup at the start; nil for an ordinary start.
    public var recovery: Recovery?
    /// Whether the cluster shuts down when this process ends in any way.
    ///
    /// When true, a cluster that an earlier server left running is shut down and restarted, so that it ends with this
    /// process and has these settings. When false, it is adopted while running, unless its settings differ.
    public var diesWithParent: Bool

    /// A relative `dataFolder` is resolved in the current folder.
    public init(
      dataFolder: String, programs: String? = nil, settings: [String: String] = [:], durable: Bool = true,
      archiving: Archiving = .asBefore, recovery: Recovery? = nil, diesWithParent: Bool = true
    ) {
      self.dataFolder = dataFolder
      self.programs = programs
      self.settings = settings
      self.durable = durable
      self.archiving = archiving
      self.recovery = recovery
      self.diesWithParent = diesWithParent
    }
  }

  /// An archive of the write-ahead log.
  public struct Archive: Codable, Sendable, Equatable {
    /// Absolute path of a folder outside of the data folder.
    public var folder: String
    /// Seconds after which PostgreSQL copies a segment that is not full.
    public var timeout: Int

    public init(folder: String, timeout: Int) {
      self.folder = folder
      self.timeout = timeout
    }
  }

  /// Whether and where PostgreSQL archives the write-ahead log.
  public enum Archiving: Sendable, Equatable {
    /// As at the last start. For commands that start the cluster while the server is stopped: without their log, the
    /// archive would have a gap.
    case asBefore
    case off
    case on(Archive)
  }

  /// Recovery of a cluster from a base backup and an archive.
  public struct Recovery: Sendable, Equatable {
    /// Folder of the archive; nil recovers only the base backup.
    public var archive: String?
    /// Time up to which transactions are restored, RFC 3339; nil restores all.
    public var until: String?

    public init(archive: String?, until: String?) {
      self.archive = archive
      self.until = until
    }
  }
}
