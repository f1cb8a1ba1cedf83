import Foundation

/// The PostgreSQL processes that work in a cluster's data folder, whoever started them.
///
/// Every process of a cluster has the data folder as its current folder. A process id in postmaster.pid alone proves
/// nothing: after a restart of the machine or container another process may have it.
enum ClusterProcesses {
  /// The ids of the living ones.
  static func living(in data: String) -> Set<pid_t> {
    guard let folder = FileStatus(data), let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
    else { return [] }
    return Set(names.compactMap { pid_t($0) }.filter { isPostgres($0, in: folder) })
  }

  /// Whether the process is a living PostgreSQL process in that folder.
  static func isPostgres(_ pid: pid_t, in folder: FileStatus) -> Bool {
    guard let current = FileStatus("/proc/\(pid)/cwd", followingLink: true), current.isSame(as: folder),
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
    else { return false }
    return program.split(separator: "/").last?.hasPrefix("postgres") ?? false
  }

  /// The postmaster that the cluster's postmaster.pid names, if it lives.
  static func postmaster(of folder: ClusterFolder) -> pid_t? {
    guard let text = try? String(contentsOfFile: folder.postmasterFile, encoding: .utf8),
      let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), let data = FileStatus(folder.data),
      isPostgres(pid, in: data)
    else { return nil }
    return pid
  }

  /// Ends processes with ever harder signals.
  /// - Parameters:
  ///   - steps: what to send to those that live (0 for nothing) and how many seconds to wait then.
  ///   - living: the ones that still live.
  /// - Returns: the ones that outlived everything.
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
