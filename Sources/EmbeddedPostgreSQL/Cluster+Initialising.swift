// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

extension Cluster {
  /// Creates the cluster unless it exists, and finds the matching programs.
  ///
  /// initdb works in a temporary folder, which is renamed to `data` when it has finished.
  func initialiseIfNeeded(_ folder: ClusterFolder) throws -> ServerBinaries {
    removeLeftovers(in: folder)
    if FileStatus(folder.data) != nil { return try matchingBinaries(for: folder) }

    let binaries = try ServerBinaries.find(wantedVersion: nil, in: options.programs)
    progress("Initialising a private PostgreSQL \(binaries.version) in \(folder.root)")
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
      metadata: ["version": "\(binaries.version)", "duration_ms": "\(seconds / .milliseconds(1))"])
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
    guard let text = folder.read("data/PG_VERSION"),
      let version = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { throw .folderUnusable(folder: folder.data, reason: "it holds no PostgreSQL cluster (no PG_VERSION)") }
    let binaries = try ServerBinaries.find(wantedVersion: version, in: options.programs)
    guard binaries.version == version else {
      throw .versionMismatch(folder: folder.data, folderVersion: version, binariesVersion: binaries.version)
    }
    return binaries
  }

  /// Removes what interrupted initialisations left. The lock is held, so no other process uses them.
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
