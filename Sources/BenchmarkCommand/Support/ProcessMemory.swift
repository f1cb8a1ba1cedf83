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
      text.split(separator: "\n").first { $0.hasPrefix(name) }
        .flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }.flatMap { Int($0) }.map { $0 * 1_024 }
    }
    guard let resident = value("VmRSS:"), let peak = value("VmHWM:") else { return nil }
    self.resident = resident
    self.peak = peak
  }
}
