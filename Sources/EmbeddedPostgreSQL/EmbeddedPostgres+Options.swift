// SPDX-License-Identifier: Apache-2.0

extension EmbeddedPostgres {
  /// The location and the options of the cluster.
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
    /// Whether and where PostgreSQL archives the write-ahead log.
    public var archiving: Archiving
    /// Recovery from a base backup at the start; nil for an ordinary start.
    public var recovery: Recovery?
    /// Whether the cluster shuts down when this process ends in any way.
    ///
    /// When true, a cluster that an earlier server left running is shut down and restarted, so that it ends with this
    /// process and has these settings. When false, it is adopted while running, unless its settings differ.
    public var diesWithParent: Bool

    /// Describes a cluster; a relative `dataFolder` is resolved in the current folder.
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

    /// Describes an archive.
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
    /// No archive.
    case off
    /// This archive.
    case on(Archive)
  }

  /// Recovery of a cluster from a base backup and an archive.
  public struct Recovery: Sendable, Equatable {
    /// Folder of the archive; nil recovers only the base backup.
    public var archive: String?
    /// Time up to which transactions are restored, RFC 3339; nil restores all.
    public var until: String?

    /// Describes a recovery.
    public init(archive: String?, until: String?) {
      self.archive = archive
      self.until = until
    }
  }
}
