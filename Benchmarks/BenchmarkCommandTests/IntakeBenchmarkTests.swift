// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BenchmarkCommand

@Suite struct IntakeBenchmarkTests {
  @Test(arguments: ["http://127.0.0.1:8080", "http://localhost:80", "http://127.8.9.1", "http://[::1]:8080/"])
  func `accepts a target on this machine`(url: String) {
    #expect(LoadTarget(url: url) != nil)
  }

  @Test(arguments: [
    "https://127.0.0.1:8080", "http://10.0.0.1:8080", "http://example.org", "http://[fe80::1]:8080", "127.0.0.1:8080",
    "http://127.0.0.1.example.org", "http://127.0.0.1:0", "http://127.0.0.1/path", "http://localhost.example.org",
  ])
  func `refuses a target on another machine`(url: String) {
    #expect(LoadTarget(url: url) == nil)
  }

  @Test(arguments: [1, 3]) func `writes complete requests with unique report IDs`(batch: Int) throws {
    let target = try #require(LoadTarget(url: "http://127.0.0.1:8080"))
    var request = ReportRequest(
      plan: LoadPlan(target: target, key: "rf_key", connections: 1, seconds: 1, batch: batch, seed: 1))
    var generator = try ReportGenerator(seed: 1)
    var identities = Set<UUID>()
    for _ in 0..<50 {
      request.fill(from: &generator, time: Array("2026-11-21T12:00:00Z".utf8))
      let parts = String(decoding: request.bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
      #expect(parts[0].contains("Content-Length: \(parts[1].utf8.count)"))
      let array = batch == 1 ? "[\(parts[1])]" : parts[1]
      let reports = try JSONDecoder().decode([[String: String]].self, from: Data(array.utf8))
      #expect(reports.count == batch)
      for report in reports {
        let number = try #require(report["number"])
        #expect(number.hasPrefix("+1201") && number.count == 12)
        #expect(report["reported_at"] == "2026-11-21T12:00:00Z")
        #expect(identities.insert(try #require(UUID(uuidString: report["report_id"] ?? ""))).inserted)
      }
    }
  }

  @Test func `hides secrets of the command line`() {
    #expect(
      IntakeBenchmarkReport.shown("ringfence-benchmark --key rf_x --json") == "ringfence-benchmark --key … --json")
    #expect(
      IntakeBenchmarkReport.shown("ringfence-benchmark --database=postgres://u:p@h")
        == "ringfence-benchmark --database=…")
  }
}
