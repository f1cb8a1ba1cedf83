// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import TestSupport
import Testing

@testable import Importing

/// Files of complaints in the formats of the FTC: fixtures, and the real files.
@Suite struct RealFilesTests {
  /// Imports a daily file twice: the second time everything is a duplicate.
  private func importDaily(
    _ path: String, rows: Int, empty: Int
  ) async throws -> (summary: ImportSummary, rows: [ParsedComplaint]) {
    let subjects = try SubjectTable(contentsOf: "\(Checkout.resources)/ftc-subjects.tsv")
    let options = ImportOptions(path: path, format: .ftcCSV, subjects: subjects)
    let sink = MemorySink()
    let first = try await ImportPipeline(options: options).run { await sink.take($0) }
    #expect(first.rows == rows)
    #expect(first.rejected[.emptyNumber] == empty)
    #expect(first.accepted + first.rejectedRows == first.rows)
    #expect(first.inserted == first.accepted)
    #expect(first.unknownSubjects == [:])
    let parsed = await sink.rows
    #expect(
      Set(parsed.map(\.category.slug)).isSuperset(of: ["fraud", "silent", "telemarketing", "robocall", "other"]))
    let second = try await ImportPipeline(options: options).run { await sink.take($0) }
    #expect(second.inserted == 0 && second.duplicates == first.inserted)
    return (first, parsed)
  }

  @Test func `the daily fixture is imported`() async throws {
    let (summary, rows) = try await importDaily(Checkout.fixture("complaints/daily.csv"), rows: 200, empty: 10)
    #expect(summary.accepted == 185)
    #expect(rows.allSatisfy { (1_772_409_600...1_772_496_000).contains($0.reportedAt.timeIntervalSince1970) })
  }

  @Test(.sharedData("data/complaints/ftc-daily-2021-07-08.csv.gz")) func `the full-size daily file is imported`()
    async throws
  {
    let path = try #require(Checkout.shared("data/complaints/ftc-daily-2021-07-08.csv.gz"))
    let (summary, rows) = try await importDaily(path, rows: 14_034, empty: 669)
    #expect(summary.accepted > 13_000)
    #expect(rows.allSatisfy { (1_625_616_000...1_625_702_400).contains($0.reportedAt.timeIntervalSince1970) })
  }

  /// Imports numbers as people typed them twice.
  private func importTyped(_ text: String, rows: Int) async throws -> ImportSummary {
    let sink = MemorySink()
    let (_, summary) = try await runImport(text, format: .ftcTSV, sink: sink)
    #expect(summary.rows == rows)
    #expect(summary.accepted + summary.rejectedRows == summary.rows)
    #expect(summary.inserted == summary.accepted)
    let known: Set<RejectReason> = [
      .emptyNumber, .notANumber, .tooShort, .tooLong, .notValid, .shortOrEmergency, .unknownCallingCode, .placeholder,
      .mask,
    ]
    #expect(known.isSuperset(of: summary.rejected.keys))
    let again = try await runImport(text, format: .ftcTSV, sink: sink)
    #expect(again.summary.inserted == 0)
    return summary
  }

  @Test func `the fixture of typed numbers is imported`() async throws {
    let text = try String(contentsOfFile: Checkout.fixture("complaints/typed.tsv"), encoding: .utf8)
    let summary = try await importTyped(text, rows: 300)
    #expect(summary.rejected[.emptyNumber] == 15)
    #expect(summary.accepted >= 210)
  }

  @Test(.sharedData("data/complaints/ftc-2020.tsv.gz")) func `the first 50,000 rows of 2020 are imported`() async throws
  {
    let reader = try LineReader(path: try #require(Checkout.shared("data/complaints/ftc-2020.tsv.gz")))
    var text = ""
    for _ in 0...50_000 { text += (try reader.next()?.text ?? "") + "\n" }
    let summary = try await importTyped(text, rows: 50_000)
    #expect(summary.accepted > 42_000)
    #expect(summary.rejected[.emptyNumber, default: 0] > 1_000)
  }
}
