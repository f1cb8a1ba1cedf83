// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

extension Cluster {
  /// The longest time for PostgreSQL to start, in seconds; most of it is for recovery after a crash.
  static let longestStart = 600

  /// The same for a recovery from an archive, which may have the log of months.
  static let longestRecovery = 30 * 86_400

  /// Adopts the running cluster or starts it, and waits until it answers.
  func bringUp(
    _ folder: ClusterFolder, _ binaries: ServerBinaries, _ configuration: ClusterConfiguration
  ) throws -> Postmaster {
    let patience = ContinuousClock.now + .seconds(15)
    while true {
      if let pid = try settleEarlier(folder, configuration) {
        logger.notice("Using the PostgreSQL that is already running", metadata: ["pid": "\(pid)"])
        return .adopted(pid)
      }
      try configuration.write(to: folder)
      do {
        return .child(try launch(folder, binaries, archive: configuration.archive))
      } catch EmbeddedPostgresError.startFailed(let log)
        where ContinuousClock.now < patience
        && (log.contains("lock file") || log.contains("shared memory block") || log.contains("is another postmaster"))
      {
        logger.notice("An earlier PostgreSQL is still stopping; trying again")
        Thread.sleep(forTimeInterval: 0.2)
      }
    }
  }

  /// Handles processes that an earlier server left running: returns the postmaster to adopt, or ends all of them.
  private func settleEarlier(_ folder: ClusterFolder, _ configuration: ClusterConfiguration) throws -> pid_t? {
    guard FileStatus(folder.postmasterFile) != nil else { return nil }
    if let pid = ClusterProcesses.postmaster(of: folder) {
      if !options.diesWithParent, configuration.isWritten(in: folder), try answers(pid, in: folder) { return pid }
      progress("Ending the PostgreSQL that an earlier server left running")
      logger.notice("Stopping the PostgreSQL that an earlier server started", metadata: ["pid": "\(pid)"])
      _ = ClusterProcesses.end(steps: [(SIGINT, 60), (SIGQUIT, 10), (SIGKILL, 5)]) {
        ClusterProcesses.postmaster(of: folder) == pid ? [pid] : []
      }
    }
    // Without their postmaster they end by themselves, but a busy one notices late.
    let remaining = ClusterProcesses.end(steps: [(0, 5), (SIGQUIT, 10), (SIGKILL, 5)]) {
      ClusterProcesses.living(in: folder.data)
    }
    if let pid = remaining.first { throw EmbeddedPostgresError.stopFailed(pid: pid) }
    // No process uses the folder, so the file is stale even if its process id is in use again.
    unlink(folder.postmasterFile)
    return nil
  }

  /// Whether the running postmaster starts to accept connections.
  private func answers(_ pid: pid_t, in folder: ClusterFolder) throws -> Bool {
    let dsn = folder.address.maintenanceDSN
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline, ClusterProcesses.postmaster(of: folder) == pid {
      if monitor.isStopRequested { throw CancellationError() }
      if ServerConnection.ask(dsn: dsn) == .yes { return true }
      Thread.sleep(forTimeInterval: 0.02)
    }
    return false
  }

  /// Starts the postmaster and waits until it accepts connections.
  /// - Parameter archive: folder to which the log is copied, or from which it is restored.
  func launch(_ folder: ClusterFolder, _ binaries: ServerBinaries, archive: String?) throws -> ChildProcess {
    progress("Starting PostgreSQL \(binaries.version)")
    let began = ContinuousClock.now
    let log = ServerLog(path: folder.log)
    log.bound()
    let logOffset = log.size
    let output = try log.open()
    defer { Glibc.close(output) }
    let root = folder.rootForServer
    let arguments =
      try launcher(for: folder.account, parentDeathSignal: options.diesWithParent ? "INT" : nil)
      + [binaries.postgres, "-D", "\(root)/data", "-c", "config_file=\(root)/postgresql.conf"]
    let child = try withHandedFolders(folder, archive: archive) { descriptors throws(EmbeddedPostgresError) in
      try ChildProcess(arguments, output: output, folders: descriptors) { [weak self] pid, status in
        guard let self else { return }
        Task { await self.postmasterEnded(pid, how: ChildProcess.describe(status)) }
      }
    }
    let dsn = folder.address.maintenanceDSN
    let longest = options.recovery == nil ? Self.longestStart : Self.longestRecovery
    let deadline = began + .seconds(longest)
    var nextWord = began + .seconds(5)
    while ServerConnection.ask(dsn: dsn) != .yes {
      if child.hasEnded(within: 0.02) { throw EmbeddedPostgresError.startFailed(log: log.tail(from: logOffset)) }
      if monitor.isStopRequested {
        _ = end(.child(child), in: folder)
        throw CancellationError()
      }
      if ContinuousClock.now > deadline {
        _ = end(.child(child), in: folder)
        throw EmbeddedPostgresError.startTimedOut(seconds: longest, log: log.tail(from: logOffset))
      }
      if ContinuousClock.now > nextWord {
        nextWord += .seconds(10)
        progress("PostgreSQL is recovering; still waiting")
      }
    }
    if archive != nil, options.recovery == nil {
      do {
        // After a start, PostgreSQL ignores archive_timeout until its checkpointer wakes, which may take 15 minutes.
        try ServerConnection(dsn: dsn).run("CHECKPOINT")
      } catch {
        _ = end(.child(child), in: folder)
        throw error
      }
    }
    let time = ContinuousClock.now - began
    logger.info(
      "PostgreSQL answers", metadata: ["pid": "\(child.pid)", "duration_ms": "\(Int(time / .milliseconds(1)))"])
    return child
  }
}
