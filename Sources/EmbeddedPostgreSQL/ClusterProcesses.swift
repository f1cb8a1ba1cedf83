// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The PostgreSQL processes that use a cluster's data folder, whatever process started them.
///
/// Every process of a cluster has the data folder as its current folder. A process id in postmaster.pid alone proves
/// nothing: after a restart of the machine or container another process may have it.
enum ClusterProcesses {
  /// The ids of the running processes.
  static func living(in data: String) -> Set<pid_t> {
    guard let folder = FileStatus(data), let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
    else { return [] }
    return Set(names.compactMap { pid_t($0) }.filter { isPostgres($0, in: folder) })
  }

  /// Whether the process is a running PostgreSQL process in that folder.
  static func isPostgres(_ pid: pid_t, in folder: FileStatus) -> Bool {
    guard let current = FileStatus("/proc/\(pid)/cwd", followingLink: true), current.isSame(as: folder),
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
    else { return false }
    return program.split(separator: "/").last?.hasPrefix("postgres") ?? false
  }

  /// The postmaster that the cluster's postmaster.pid names, if it is running.
  static func postmaster(of folder: ClusterFolder) -> pid_t? {
    guard let text = try? String(contentsOfFile: folder.postmasterFile, encoding: .utf8),
      let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), let data = FileStatus(folder.data),
      isPostgres(pid, in: data)
    else { return nil }
    return pid
  }

  /// Ends processes with increasingly strong signals.
  /// - Parameters:
  ///   - steps: the signal to the running processes (0 for none) and the seconds to wait after it.
  ///   - living: returns the running processes.
  /// - Returns: the processes that are still running.
  static func end(steps: [(signal: Int32, seconds: Double)], living: () -> Set<pid_t>) -> Set<pid_t> {
    var remaining = living()
    for step in steps where !remaining.isEmpty {
      if step.signal != 0 { for pid in remaining { _ = kill(pid, step.signal) } }
      let deadline = ContinuousClock.now + .seconds(step.seconds)
      while !remaining.isEmpty, ContinuousClock.now < deadline {
        Thread.sleep(forTimeInterval: 0.02)
        remaining = living()
      }
    }
    return remaining
  }
}
