// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The memory that processes of this one may use, in bytes.
enum MachineMemory {
  /// The machine's, or less where a limit of control groups applies (version 2, as of containers and systemd).
  static func bytes(groups: String = "/sys/fs/cgroup", process: String = "/proc/self/cgroup") -> Int {
    let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    // The line of version 2 is `0::/path`. Each group above also limits.
    let text = (try? String(contentsOfFile: process, encoding: .utf8)) ?? ""
    let path = text.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3) ?? "/"
    var (limit, folder) = (machine, groups)
    for part in [""] + path.split(separator: "/").map(String.init) {
      if !part.isEmpty { folder += "/\(part)" }
      if let own = try? String(contentsOfFile: "\(folder)/memory.max", encoding: .utf8),
        let bytes = Int(own.filter(\.isNumber))
      {
        limit = min(limit, bytes)
      }
    }
    return max(0, limit)
  }
}
