// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

/// Limits of the server's process. The private PostgreSQL and other child processes inherit them.
enum ProcessLimits {
  /// Switches core dumps off, because memory contains keys and numbers.
  static func forbidCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    // A program that takes the dumps of all processes gets one even so. Then it contains no memory (core(5)).
    try? Data("0".utf8).write(to: URL(filePath: "/proc/self/coredump_filter"))
  }

  /// Files that are open in addition to connections: of packs, of the database and of jobs.
  private static let otherFiles = 512

  /// Raises the limit of open files for this many connections, if the system allows it.
  /// - Returns: as many connections as the limit allows, at most `wanted`.
  static func raiseOpenFiles(forConnections wanted: Int, logger: Logger) -> Int {
    var limit = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(files, &limit) == 0 else { return wanted }
    let needed = rlim_t(wanted + otherFiles)
    if limit.rlim_cur < needed {
      limit.rlim_cur = min(needed, limit.rlim_max)
      _ = setrlimit(files, &limit)
    }
    guard limit.rlim_cur < needed else { return wanted }
    let possible = max(16, Int(limit.rlim_cur) - otherFiles)
    logger.warning(
      """
      The process may open \(limit.rlim_cur) files, so it takes \(possible) connections and not \(wanted). Raise the \
      limit to \(needed) (LimitNOFILE in systemd), or lower --max-connections.
      """)
    return min(wanted, possible)
  }
}
