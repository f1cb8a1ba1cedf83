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
    var configuration = configuration
    while true {
      if let pid = try settleEarlier(folder, configuration) {
        logger.notice("Using the PostgreSQL that is already running", metadata: ["pid": .stringConvertible(pid)])
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
      } catch EmbeddedPostgresError.startFailed(let log)
        where log.contains("could not map anonymous shared memory") || log.contains("could not create shared memory")
      {
        guard let fewer = configuration.withFewestBuffers else { throw EmbeddedPostgresError.startFailed(log: log) }
        logger.warning("PostgreSQL cannot get its shared memory; it starts with the fewest buffers")
        configuration = fewer
      }
    }
  }

  /// Handles processes that an earlier server left running: returns the postmaster to adopt, or ends all of them.
  private func settleEarlier(_ folder: ClusterFolder, _ configuration: ClusterConfiguration) throws -> pid_t? {
    guard FileStatus(folder.postmasterFile) != nil else { return nil }
    if let pid = ClusterProcesses.postmaster(of: folder) {
      if !options.diesWithParent, configuration.isWritten(in: folder), try answers(pid, in: folder) { return pid }
      progress("Ending the PostgreSQL that an earlier server left running")
      logger.notice(
        "Stopping the PostgreSQL that an earlier server started", metadata: ["pid": .stringConvertible(pid)])
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
      "PostgreSQL answers",
      metadata: ["pid": .stringConvertible(child.pid), "duration_ms": .stringConvertible(Int(time / .milliseconds(1)))])
    return child
  }
}

extension Cluster {
  /// Creates the cluster unless it exists, and finds the matching programs.
  ///
  /// initdb works in a temporary folder, which is renamed to `data` when it has finished.
  func initialiseIfNeeded(_ folder: ClusterFolder) throws -> ServerBinaries {
    removeLeftovers(in: folder)
    if FileStatus(folder.data) != nil { return try matchingBinaries(for: folder) }

    let binaries = try ServerBinaries.find(wantedVersion: nil, in: options.programs)
    progress("Creating a private PostgreSQL \(binaries.version) in \(folder.root)")
    let began = ContinuousClock.now
    let name = "initialising-\(getpid())"
    let path = "\(folder.root)/\(name)"
    try ClusterFolder.makeFolder(path, owner: folder.account.uid, group: folder.account.gid, mode: 0o700)
    do {
      var arguments = try launcher(for: folder.account, parentDeathSignal: "KILL")
      arguments += [
        binaries.initdb, "--pgdata=\(folder.rootForServer)/\(name)", "--username=\(ClusterAddress.superuser)",
        "--locale=C.UTF-8", "--encoding=UTF8", "--data-checksums", "--auth-local=peer", "--auth-host=reject",
        "--no-instructions",
      ]
      if !options.durable { arguments.append("--no-sync") }
      let result = try withHandedFolders(folder) { descriptors throws(EmbeddedPostgresError) in
        try ChildProcess.run(arguments, folders: descriptors)
      }
      guard result.status == 0 else {
        throw EmbeddedPostgresError.initialisationFailed(output: ServerLog.lastLines(of: result.output, count: 15))
      }
      try finishInitialising(path, in: folder)
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw error
    }
    let seconds = ContinuousClock.now - began
    logger.notice(
      "Created a private PostgreSQL",
      metadata: ["version": "\(binaries.version)", "duration_ms": .stringConvertible(Int(seconds / .milliseconds(1)))])
    return binaries
  }

  private func finishInitialising(_ path: String, in folder: ClusterFolder) throws(EmbeddedPostgresError) {
    guard rename(path, folder.data) == 0 else {
      throw .folderUnusable(folder: folder.data, reason: SystemError.current)
    }
    let descriptor = Glibc.open(folder.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    if options.durable { fsync(descriptor) }
    Glibc.close(descriptor)
  }

  private func matchingBinaries(for folder: ClusterFolder) throws(EmbeddedPostgresError) -> ServerBinaries {
    guard let version = EmbeddedPostgres.version(ofClusterIn: folder.dataFolder) else {
      throw .folderUnusable(folder: folder.data, reason: "it holds no PostgreSQL cluster (no PG_VERSION)")
    }
    let binaries = try ServerBinaries.find(wantedVersion: version, in: options.programs)
    guard binaries.version == version else {
      throw .versionMismatch(folder: folder.data, folderVersion: version, binariesVersion: binaries.version)
    }
    return binaries
  }

  /// Removes what interrupted initializations left. The lock is held, so no other process uses them.
  private func removeLeftovers(in folder: ClusterFolder) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.root)) ?? []
    for name in names where name.hasPrefix("initialising-") {
      do {
        try FileManager.default.removeItem(atPath: "\(folder.root)/\(name)")
        logger.notice("Removed an incomplete PostgreSQL folder", metadata: ["folder": "\(name)"])
      } catch {
        logger.warning("Cannot remove an incomplete PostgreSQL folder", metadata: ["folder": "\(name)"])
      }
    }
  }
}

extension Cluster {
  /// The command prefix that drops root and ends the command when this thread ends.
  /// - Throws: ``EmbeddedPostgresError/binariesUnusable(path:reason:)`` when setpriv is missing, which root needs.
  func launcher(for account: Account, parentDeathSignal: String?) throws(EmbeddedPostgresError) -> [String] {
    let isRoot = geteuid() == 0
    guard isRoot || parentDeathSignal != nil else { return [] }
    let places: [String] = ["/usr/bin/setpriv", "/bin/setpriv"]
    guard let setpriv = places.first(where: { access($0, X_OK) == 0 }) else {
      guard isRoot else { return [] }
      throw .binariesUnusable(path: "/usr/bin/setpriv", reason: "it is missing (Debian: apt install util-linux)")
    }
    var words = [setpriv, "--no-new-privs"]
    if isRoot { words += ["--reuid=\(account.uid)", "--regid=\(account.gid)", "--clear-groups"] }
    if let parentDeathSignal { words += ["--pdeathsig", parentDeathSignal] }
    return words + ["--"]
  }

  /// Opens the folders that a child must receive open: the cluster's and the archive's.
  /// - Parameter archive: folder to which the log is copied, or from which it is restored.
  func withHandedFolders<R>(
    _ folder: ClusterFolder, archive: String? = nil, _ body: ([Int32]) throws(EmbeddedPostgresError) -> R
  ) throws(EmbeddedPostgresError) -> R {
    let archive = geteuid() == 0 ? archive : nil
    guard folder.isHandedOver || archive != nil else { return try body([]) }
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { Glibc.close(descriptor) } }
    var folders = [(path: folder.root, flags: O_NOFOLLOW)]
    if let archive { folders.append((archive, 0)) }
    for (path, flags) in folders {
      let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
      guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: SystemError.current) }
      descriptors.append(descriptor)
    }
    return try body(descriptors)
  }
}
