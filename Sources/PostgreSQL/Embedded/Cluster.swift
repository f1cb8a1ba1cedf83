// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
import Logging
import Synchronization

/// The lifecycle of the cluster. It blocks, so it runs on its own thread.
actor Cluster {
  /// The open clusters; they are kept alive until they are closed.
  private static let kept = OpenClusters()

  let options: EmbeddedPostgres.Options
  let logger: Logger
  let progress: @Sendable (String) -> Void
  nonisolated let monitor = ClusterMonitor()
  private let executor = ThreadExecutor()

  struct Open {
    let folder: ClusterFolder
    let binaries: ServerBinaries
    let configuration: ClusterConfiguration
    var postmaster: Postmaster
    let housekeeping: Task<Void, Never>
  }

  /// The running postmaster: started here, or adopted from an earlier server.
  enum Postmaster {
    case child(ChildProcess)
    case adopted(pid_t)

    var pid: pid_t {
      switch self {
      case .child(let child): child.pid
      case .adopted(let pid): pid
      }
    }
  }

  var state: Open?
  private var lock: DataFolderLock?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(options: EmbeddedPostgres.Options, logger: Logger, progress: @escaping @Sendable (String) -> Void) {
    self.options = options
    self.logger = logger
    self.progress = progress
  }

  deinit { executor.stop() }

  /// Takes the lock and brings the cluster up; cleans up when it fails.
  func open() throws -> ClusterAddress {
    let dataFolder = try ClusterFolder.prepareDataFolder(options.dataFolder)
    let lock = try DataFolderLock(folder: dataFolder)
    do {
      let folder = try ClusterFolder(dataFolder: dataFolder)
      if geteuid() == 0, folder.account.isShared { warnOfSharedAccount(folder.account) }
      defer { if state == nil { folder.removeForeignSocketFolder() } }
      // Refuses a wrong name of a setting before the cluster is created.
      _ = try ClusterConfiguration(options, folder: folder, serverAccount: .current())
      let binaries = try initialiseIfNeeded(folder)
      let configuration = try ClusterConfiguration(
        options, folder: folder, serverAccount: .current(), compression: binaries.knowsLZ4 ? "lz4" : "pglz",
        archive: try prepareArchive(folder))
      if options.recovery != nil { try folder.requestRecovery() }
      let postmaster = try bringUpRecovering(folder, binaries, configuration)
      do {
        try ServerConnection(dsn: folder.address.maintenanceDSN).prepareDatabase()
      } catch {
        _ = end(postmaster, in: folder)
        throw error
      }
      state = Open(
        folder: folder, binaries: binaries, configuration: configuration, postmaster: postmaster,
        housekeeping: Task { [weak self] in
          while (try? await Task.sleep(for: .seconds(5))) != nil { await self?.keepHouse() }
        })
      self.lock = lock
      lock.announce(folder.address)
      monitor.setPostmaster(postmaster.pid)
      Self.kept.insert(self)
      return folder.address
    } catch {
      lock.release()
      throw error
    }
  }

  private func warnOfSharedAccount(_ account: Account) {
    logger.warning(
      "PostgreSQL runs as an account that other programs share, and they can read its data. Run: ringfence doctor",
      metadata: ["account": "\(account.name)"])
  }

  /// The path of the data folder; nil where the cluster does not run.
  var dataFolder: String? { state?.folder.dataFolder }

  /// Shuts the cluster down and frees the data folder.
  /// - Parameter exchangingWith: a data folder whose cluster takes this one's place.
  func close(exchangingWith other: String? = nil) throws {
    guard let open = state else { return }
    open.housekeeping.cancel()
    guard end(open.postmaster, in: open.folder) else {
      throw EmbeddedPostgresError.stopFailed(pid: open.postmaster.pid)
    }
    defer {
      open.folder.removeForeignSocketFolder()
      monitor.setPostmaster(nil)
      state = nil
      lock?.release()
      lock = nil
      Self.kept.remove(self)
    }
    if let other { try open.folder.exchange(with: other) }
  }
}

extension Cluster {
  /// Limits the size of the log, and checks an adopted postmaster, whose end is not signaled.
  func keepHouse() async {
    guard let open = state else { return }
    ServerLog(path: open.folder.log).bound()
    if case .adopted(let pid) = open.postmaster, monitor.postmasterPID == pid,
      ClusterProcesses.postmaster(of: open.folder) != pid
    {
      await postmasterEnded(pid, how: "unknown")
    }
  }

  /// Restarts a postmaster that ended by itself, with growing pauses, until that succeeds or the owner stops.
  func postmasterEnded(_ pid: pid_t, how: String) async {
    guard !monitor.isStopRequested, let open = state, open.postmaster.pid == pid else { return }
    monitor.setPostmaster(nil)
    logger.error(
      "PostgreSQL stopped unexpectedly; starting it again",
      metadata: ["pid": .stringConvertible(pid), "status": "\(how)"])
    var pause = 0.25
    while !monitor.isStopRequested, state != nil {
      do {
        let postmaster = try bringUp(open.folder, open.binaries, open.configuration)
        state?.postmaster = postmaster
        monitor.setPostmaster(postmaster.pid)
        return
      } catch is CancellationError {
        return
      } catch {
        logger.error("Cannot start PostgreSQL again", metadata: ["reason": "\(error)"])
      }
      try? await Task.sleep(for: .seconds(pause))
      pause = min(pause * 2, 30)
    }
  }

  /// Stops the postmaster: fast, after a minute immediately, at last with SIGKILL. Returns whether it has ended.
  func end(_ postmaster: Postmaster, in folder: ClusterFolder) -> Bool {
    let steps: [(signal: Int32, seconds: Double)] = [(SIGINT, 60), (SIGQUIT, 10), (SIGKILL, 5)]
    switch postmaster {
    case .child(let child):
      for step in steps {
        child.signal(step.signal)
        if child.hasEnded(within: step.seconds) { return true }
        logger.warning(
          "PostgreSQL does not stop",
          metadata: ["pid": .stringConvertible(child.pid), "signal": .stringConvertible(step.signal)])
      }
      return false
    case .adopted(let pid):
      // Not by postmaster.pid, which PostgreSQL removes shortly before it ends.
      return ClusterProcesses.end(steps: steps) {
        FileStatus(folder.data).map { ClusterProcesses.isPostgres(pid, in: $0) } == true ? [pid] : []
      }.isEmpty
    }
  }
}

/// Keeps the open clusters alive.
final class OpenClusters: Sendable {
  private let clusters = Mutex<[ObjectIdentifier: Cluster]>([:])

  func insert(_ cluster: Cluster) { clusters.withLock { $0[ObjectIdentifier(cluster)] = cluster } }

  func remove(_ cluster: Cluster) { _ = clusters.withLock { $0.removeValue(forKey: ObjectIdentifier(cluster)) } }
}
