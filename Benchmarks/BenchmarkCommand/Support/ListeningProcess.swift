// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds the process that listens on a port of this machine, from /proc.
enum ListeningProcess {
  /// The id of the process; nil when there is none, or when it belongs to another user.
  static func find(port: UInt16) -> Int32? {
    let sockets = Set(["tcp", "tcp6"].flatMap { listening(in: "/proc/net/\($0)", port: port) })
    guard !sockets.isEmpty else { return nil }
    let manager = FileManager.default
    for pid in ((try? manager.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap({ Int32($0) }) {
      let folder = "/proc/\(pid)/fd"
      for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
        if let link = try? manager.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"), sockets.contains(link) {
          return pid
        }
      }
    }
    return nil
  }

  /// The listening sockets as `socket:[inode]`.
  private static func listening(in path: String, port: UInt16) -> [String] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    let suffix = ":" + String(format: "%04X", Int(port))
    return text.split(separator: "\n").dropFirst().compactMap { line in
      // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …; 0A is LISTEN.
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, fields[1].hasSuffix(suffix), fields[3] == "0A" else { return nil }
      return "socket:[\(fields[9])]"
    }
  }
}
