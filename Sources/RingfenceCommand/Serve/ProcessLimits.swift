// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Limits of the server's process. The private PostgreSQL and other child processes inherit them.
enum ProcessLimits {
  /// Switches core dumps off, because memory contains keys and numbers.
  static func forbidCoreDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    // A program that takes the dumps of all processes gets one even so. Then it contains no memory (core(5)).
    try? Data("0".utf8).write(to: URL(filePath: "/proc/self/coredump_filter"))
  }
}
