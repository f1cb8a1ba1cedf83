// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@testable import Importing

@Suite struct JSONLinesTests {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func reason(_ line: String) async throws -> RejectReason? {
    let (_, summary) = try await runImport(line + "\n", format: .jsonLines) { $0.now = Self.now }
    #expect(summary.rows == 1)
    return summary.rejected.first?.key
  }

  private func report(_ changes: [String: Any?]) throws -> String {
    var object: [String: Any] = [
      "number": "+12015550123", "region": "US", "category": "fraud", "reporter": "r1",
      "report_id": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "reported_at": "2023-01-02T03:04:05Z", "comment": "Hello",
    ]
    for (key, value) in changes { object[key] = value }
    return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
  }

  @Test func `a complete report is parsed`() async throws {
    let (rows, _) = try await runImport(try report([:]), format: .jsonLines) { $0.now = Self.now }
    let expected = ParsedComplaint(
      number: 12_015_550_123, category: .fraud, reportedAt: Date(timeIntervalSince1970: 1_672_628_645),
      reportID: UUID(uuidString: "6f9619ff-8b86-d011-b42d-00c04fc964ff")!, reporter: "r1", comment: "Hello", line: 1)
    #expect(rows == [expected])
  }

  @Test func `optional fields may be missing`() async throws {
    let text = #"{"number":"(201) 555-0123","region":"us","category":"other","reported_at":"2023-01-02T03:04:05Z"}"#
    let (rows, _) = try await runImport(text + "\n" + text, format: .jsonLines) { $0.now = Self.now }
    #expect(rows.map(\.number) == [12_015_550_123, 12_015_550_123])
    #expect(rows[0].reporter == nil && rows[0].comment == nil)
    #expect(rows[0].reportID != rows[1].reportID)
  }

  @Test func `each invalid line is rejected with its reason`() async throws {
    let long = String(repeating: "x", count: 501)
    let cases: [(String, RejectReason)] = [
      ("nonsense", .badJSON), ("[1]", .badJSON), ("\"text\"", .badJSON), ("{\"number\":", .badJSON),
      (String(repeating: "[", count: 20_000), .badJSON), ("{}", .missingField),
      (try report(["number": 12]), .badField), (try report(["category": "spam"]), .unknownCategory),
      (try report(["number": ""]), .emptyNumber), (try report(["number": "hello"]), .notANumber),
      (try report(["number": "+1201"]), .tooShort), (try report(["number": "+12015550123456789"]), .tooLong),
      (try report(["number": String(repeating: "1", count: 251)]), .tooLong),
      (try report(["number": "+4930"]), .tooShort), (try report(["number": "911"]), .shortOrEmergency),
      (try report(["number": "+9990000000"]), .unknownCallingCode), (try report(["region": "ZZ"]), .badRegion),
      (try report(["region": "U\0"]), .badRegion), (try report(["reported_at": "yesterday"]), .badDate),
      (try report(["reported_at": "2023-11-16T22:13:21Z"]), .dateInFuture),
      (try report(["reported_at": "1999-12-31T23:59:59Z"]), .dateTooOld),
      (try report(["report_id": "12"]), .badReportID), (try report(["comment": long]), .commentTooLong),
      (try report(["comment": "a\0b"]), .badField), (try report(["reporter": " "]), .badReporter),
      (try report(["reporter_since": "2024-03-05"]), .serverField),
      (try report(["client_address": "203.0.113.7"]), .serverField), (try report(["reporter": long]), .badReporter),
      (String(repeating: " ", count: 70_000), .lineTooLong),
    ]
    for (line, expected) in cases {
      let found = try await reason(line)
      #expect(found == expected, "\(line.prefix(120))")
    }
  }

  @Test func `rows of dropped months are rejected`() async throws {
    let rows = try ["2023-01-31T23:59:59Z", "2023-02-01T00:00:00Z"].map { try report(["reported_at": $0]) }
    let (kept, summary) = try await runImport(rows.joined(separator: "\n"), format: .jsonLines) {
      $0.now = Self.now
      $0.droppedBefore = Date(timeIntervalSince1970: 1_675_209_600)
    }
    #expect(kept.map(\.line) == [2] && summary.rejected == [.dateBeforeRetention: 1])
    #expect(summary.droppedBefore == Date(timeIntervalSince1970: 1_675_209_600))
  }

  @Test func `a number in national format needs its region`() async throws {
    let text = #"{"number":"2015550123","category":"other","reported_at":"2023-01-02T03:04:05Z"}"#
    #expect(try await reason(text) == .needsRegion)
  }

  @Test func `Windows-1252 is converted`() async throws {
    let scratch = try Scratch()
    var bytes = Array(try report(["comment": "a?b"]).utf8)
    bytes[bytes.firstIndex(of: UInt8(ascii: "?"))!] = 0xFC
    let sink = MemorySink()
    let options = ImportOptions(path: try scratch.file(bytes), format: .jsonLines)
    let summary = try await ImportPipeline(options: options).run { await sink.take($0) }
    #expect(summary.repaired == 1)
    #expect(await sink.rows.map(\.comment) == ["aüb"])
  }
}
