// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Figures of this process, under the names of Prometheus' client libraries.
public struct ProcessStatistics: Sendable {
  public static func write(to exposition: inout Exposition) {
    let status = words(of: "/proc/self/status")
    func bytes(_ key: String) -> Double? { status[key].flatMap { Double($0) }.map { $0 * 1_024 } }
    exposition.gauge("process_resident_memory_bytes", bytes("VmRSS:"))
    exposition.gauge("process_virtual_memory_bytes", bytes("VmSize:"))
    exposition.gauge("process_threads", status["Threads:"].flatMap { Double($0) })
    let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    exposition.gauge("process_open_fds", open.map(Double.init))
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      exposition.gauge("process_max_fds", Double(limit.rlim_cur))
    }
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      let seconds = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
      exposition.counter("process_cpu_seconds_total", [([], seconds[0] + seconds[1])])
    }
    exposition.gauge("process_start_time_seconds", startTime)
  }

  /// The time of the first access, which is at the start of the process.
  public static let startTime: Double = Date().timeIntervalSince1970

  /// The first word after each key of a file of /proc.
  private static func words(of file: String) -> [String: String] {
    let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
    var words: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      if parts.count > 1 { words[String(parts[0])] = String(parts[1]) }
    }
    return words
  }
}
