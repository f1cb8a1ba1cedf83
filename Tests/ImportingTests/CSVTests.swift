// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@testable import Importing

@Suite struct CSVTests {
  private func fields(_ record: String) -> [String]? {
    var row = CSVRow()
    let isRead = Array(record.utf8).withUnsafeBufferPointer { row.read($0) }
    return isRead ? (0..<row.count).map { String(decoding: row[$0], as: UTF8.self) } : nil
  }

  @Test func `a record is split into its fields`() {
    #expect(fields("") == [""])
    #expect(fields("a,b") == ["a", "b"])
    #expect(fields(",") == ["", ""])
    #expect(fields("\"\",\"\"") == ["", ""])
    #expect(fields("\"a,b\",c") == ["a,b", "c"])
    #expect(fields("\"say \"\"hi\"\"\",x") == ["say \"hi\"", "x"])
    #expect(fields("\"a\nb\",c") == ["a\nb", "c"])
    #expect(fields("5\" pipe,b") == ["5\" pipe", "b"])
    #expect(fields(" \"a\",b") == [" \"a\"", "b"])
  }

  @Test func `a record with broken quotes is refused`() {
    #expect(fields("\"a") == nil)
    #expect(fields("\"a\"b,c") == nil)
    #expect(fields("a,\"") == nil)
    #expect(fields("\"\"\"") == nil)
  }

  private let header =
    "Company_Phone_Number,Created_Date,Violation_Date,Consumer_City,Consumer_State,Consumer_Area_Code,Subject,"
    + "Recorded_Message_Or_Robocall\n"
  private let start = "2015550123,2021-07-07 00:01:15,2021-07-06 11:48:00,"
  private let tail = ",NJ,201,Other,N\n"

  @Test func `quoted line ends keep the line numbers`() async throws {
    let text = header + start + "\"New\r\n\n\"\"York\"\"\"" + tail + "\n" + start + "B" + tail
    let (rows, summary) = try await runImport(text, format: .ftcCSV)
    #expect(rows.map(\.line) == [2, 6])
    #expect(summary.rejected == [:])
  }

  @Test func `malformed records are counted by reason`() async throws {
    let open = start + "\"never closed\n" + String(repeating: "x,y\n", count: 3)
    let (rows, summary) = try await runImport(
      header + start + "A" + tail + "1,2\n" + start + "\"a\"b" + tail + open, format: .ftcCSV)
    #expect(rows.count == 1)
    #expect(summary.rejected == [.wrongColumns: 4, .badQuote: 2])
    #expect(summary.rejects.rows == 7 && summary.rejects.examples.map(\.row) == [3, 4, 5, 6, 7])
    #expect(summary.rejects.examples.first?.text == "1,2" && summary.rejects.examples.first?.reason == "wrong_columns")
  }

  @Test func `an unclosed quote ends at the length limit`() async throws {
    let filler = String(repeating: String(repeating: "z", count: 999) + "\n", count: 80)
    let (rows, summary) = try await runImport(
      header + start + "\"open\n" + filler + start + "A" + tail, format: .ftcCSV)
    #expect(rows.count == 1)
    #expect(summary.rejected == [.badQuote: 1, .wrongColumns: 80])
  }

  /// An unclosed quote costs its own line and no other, wherever the next quotes are.
  @Test func `a stray quote rejects only its own line`() async throws {
    let good = start + "A" + tail
    let quoted = start + "\"New \"\"York\"\", NY\"" + tail
    let stray = start + "\"The Bar" + tail
    let (rows, summary) = try await runImport(
      header + good + stray + good + good + quoted + good + stray + quoted + good, format: .ftcCSV)
    #expect(rows.map(\.line) == [2, 4, 5, 6, 7, 9, 10])
    #expect(summary.rejected == [.badQuote: 2])
  }

  /// Lines that open a quote and keep one open are not read repeatedly.
  @Test func `a file of stray quotes is parsed in bounded time`() async throws {
    let text = header + start + "\"open" + tail + String(repeating: "a\",\"x\n", count: 400_000)
    let (rows, summary) = try await runImport(text, format: .ftcCSV)
    #expect(rows.isEmpty)
    #expect((summary.rejected[.badQuote] ?? 0) > 10)
  }

  @Test func `columns are found by name`() async throws {
    let text = "\u{FEFF}subject,\"created date\",COMPANY_PHONE_NUMBER\nOther,2021-07-07,2015550123\n"
    let (rows, _) = try await runImport(text, format: .ftcCSV)
    #expect(rows.map(\.number) == [12_015_550_123])
    #expect(rows[0].reportedAt == Date(timeIntervalSince1970: 1_625_616_000))
  }

  @Test(arguments: ["", "a,b\n", "Company_Phone_Number\n"]) func `a file with missing columns is refused`(text: String)
    async throws
  {
    await #expect(throws: ImportFileError.self) { try await runImport(text, format: .ftcCSV) }
  }

  @Test func `subjects and recordings map to categories`() async throws {
    let subjects = try SubjectTable(text: "# comment\n\nOther\tother\trobocall\nWarranties & plans\ttelemarketing\n")
    func row(_ subject: String, _ recorded: String) -> String {
      start + ",NJ,201,\(subject),\(recorded)\n"
    }
    let text = header + row("Other", "Y") + row("other", "N") + row("WARRANTIES  &  plans", "Y") + row("New one", "")
    let (rows, summary) = try await runImport(text, format: .ftcCSV) { $0.subjects = subjects }
    #expect(rows.map(\.category.slug) == ["robocall", "other", "telemarketing", "other"])
    #expect(summary.unknownSubjects == ["New one": 1])
  }
}
