// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Importing

@Suite struct ReportIdentityTests {
  private let rows = (0..<3_000).map { "2020-01-\($0 % 28 < 9 ? "0" : "")\($0 % 28 + 1)\t20155501\($0 % 40 + 10)\t201" }

  private func ids(_ rows: [String], end: String = "\n", source: String? = nil) async throws -> [UUID] {
    let (parsed, _) = try await runImport(rows.joined(separator: end), format: .ftcTSV) {
      if let source { $0.source = source }
    }
    return parsed.map(\.reportID)
  }

  @Test func `the same file gives the same report IDs`() async throws {
    let first = try await ids(rows)
    #expect(first.count == rows.count)
    #expect(Set(first).count == rows.count)
    #expect(try await ids(rows) == first)
    #expect(try await ids(rows, end: "\r\n") == first)
    #expect(Set(try await ids(rows, source: "another")).isDisjoint(with: first))
  }

  @Test func `a file with added rows gives new IDs only for them`() async throws {
    let first = Set(try await ids(rows))
    let more = ["2020-02-01\t2015550199\t201"] + rows.reversed() + rows.prefix(5)
    #expect(Set(try await ids(more)).subtracting(first).count == 6)
    #expect(Set(try await ids(more)).isSuperset(of: first))
  }

  @Test func `quoting does not change the report ID`() async throws {
    let header = "Company_Phone_Number,Created_Date\n"
    let (plain, _) = try await runImport(header + "2015550123,2021-07-07\n", format: .ftcCSV)
    let (quoted, _) = try await runImport(header + "\"2015550123\",\"2021-07-07\"\n", format: .ftcCSV)
    #expect(plain.map(\.reportID) == quoted.map(\.reportID))
  }

  /// Stored ids depend on this value: it must never change.
  @Test func `report IDs equal the fixed values`() async throws {
    let found = try await ids(["2020-02-14\t8044770532\t804", "2020-02-14\t8044770532\t804"])
    // SHA-256 over the lengths, 32 bits little-endian, and bytes of "ftc-tsv" and the three fields; then over those
    // 16 bytes and a 1 of 64 bits, big-endian.
    let expected = ["57463D94-C1D6-8A1D-9BF0-87D0704146D8", "DDE0252C-499D-88C5-9115-8667E849F6BA"]
    #expect(found.map(\.uuidString) == expected)
    for id in found {
      #expect(id.uuid.6 >> 4 == 8)
      #expect(id.uuid.8 >> 6 == 0b10)
    }
  }

  @Test func `all report IDs differ while the table grows`() {
    var identity = ReportIdentity()
    var seen: Set<UUID> = []
    for index in 0..<20_000 {
      seen.insert(identity.next(ContentDigest(Array("\(index % 10_000)".utf8))))
    }
    #expect(seen.count == 20_000)
  }
}
