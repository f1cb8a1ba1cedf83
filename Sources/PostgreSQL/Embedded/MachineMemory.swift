// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The memory that processes of this one may use.
enum MachineMemory {
  /// Bytes of the machine, or fewer where /proc or a control group (version 1 or 2, as of containers and systemd) says so.
  /// - Parameter root: the folder that has /proc and /sys.
  static func bytes(root: String = "") -> Int {
    var limits = [sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))]
    func lines(_ path: String) -> [Substring] {
      ((try? String(contentsOfFile: root + path, encoding: .utf8)) ?? "").split(separator: "\n")
    }
    // In LXC this file, and not the system, has the limit of the container.
    if let total = lines("/proc/meminfo").first(where: { $0.hasPrefix("MemTotal:") }),
      let kilobytes = Int(total.filter(\.isNumber))
    {
      limits.append(kilobytes * 1_024)
    }
    // `0::/path` of version 2, `4:memory:/path` of version 1. Each group above also limits.
    for line in lines("/proc/self/cgroup") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let (base, file): (String, String)
      if parts[1].isEmpty {
        (base, file) = ("/sys/fs/cgroup", "memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        (base, file) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      } else {
        continue
      }
      var folder = base
      for part in [Substring()] + parts[2].split(separator: "/") {
        if !part.isEmpty { folder += "/\(part)" }
        if let bytes = lines("\(folder)/\(file)").first.flatMap({ Int($0) }) { limits.append(bytes) }
      }
    }
    return max(0, limits.min() ?? 0)
  }
}
