// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The memory of a process in bytes, from /proc/PID/status.
struct ProcessMemory: Sendable, Codable, Equatable {
  let resident: Int
  /// The greatest resident size so far.
  let peak: Int

  enum CodingKeys: String, CodingKey {
    case resident = "resident_bytes"
    case peak = "peak_bytes"
  }

  /// Nil when there is no such process.
  init?(pid: Int32) {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
    func value(_ name: String) -> Int? {
      guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 1, let kibibytes = Int(fields[1]) else { return nil }
      return kibibytes * 1_024
    }
    guard let resident = value("VmRSS:"), let peak = value("VmHWM:") else { return nil }
    self.resident = resident
    self.peak = peak
  }
}
