// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import Testing

@testable import Importing

/// Files of decisions: rows, and the line, field, value and rule of wrong ones.
@Suite struct DecisionFileTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private func read(_ text: String, _ format: DecisionFile.Format = .csv) async throws -> DecisionFile {
    try await DecisionFile.read(Data(text.utf8), as: format, at: now)
  }

  private func text(_ problem: DecisionRowProblem) -> String {
    "\(problem.line) \(problem.violation.field) \(problem.violation.code.name) [\(problem.value)]"
  }

  @Test func `CSV and JSON Lines give the same rows`() async throws {
    let csv = try await read(
      "\u{FEFF}number,decision,label,category,reason,note,expires_days\r\n"
        + "+33199000248,block,,fraud,\"Confirmed, by calls.\",,90\r\n\r\n33199000249,allow,,,,\"Two\nlines\",\r\n")
    let lines = try await read(
      """
      {"number":"+33199000248","decision":"block","category":"fraud","reason":"Confirmed, by calls.","expires_days":90}

      {"number":33199000249,"decision":"allow","note":"Two\\nlines","label":null}
      """, .jsonLines)
    let values = [
      DecisionValues(
        treatment: .block, category: .fraud, reason: "Confirmed, by calls.", expiresAt: now + 90 * 86_400),
      DecisionValues(treatment: .allow, note: "Two\nlines"),
    ]
    #expect(csv.rows.map(\.values) == values && lines.rows.map(\.values) == values)
    #expect(csv.rows.map(\.number) == [33_199_000_248, 33_199_000_249] && csv.problems.isEmpty)
    #expect(csv.rows.map(\.line) == [2, 4] && lines.rows.map(\.line) == [1, 3] && lines.problems.isEmpty)
  }

  @Test func `each wrong row is named with line, field, value and rule`() async throws {
    let file = try await read(
      """
      number,decision,label,category,reason,expires_days
      +33199000248,ban,,,x,
      12345abc,block,,,x,
      +33199000249,block,,spam,x,
      +33199000250,block,,,,
      +33199000251,identify,,,x,
      +33199000252,block,,,x,7
      +33199000253,block,,,x,
      +33199000253,allow,,,,
      +33199000254,block,,,"x,
      +33199000255,block
      +33199000256,block,,,x,30
      """)
    #expect(
      file.problems.map(text) == [
        "2 decision decision_not_offered [ban]", "3 number not_a_number [12345abc]",
        "4 category category_unknown [spam]",
        "5 reason reason_missing []", "6 label label_missing []", "7 expires_days expiry_not_offered [7]",
        "9 number number_repeated [+33199000253]", "10 row not_a_row []", "11 row not_a_row []",
      ])
    // A missing quote does not swallow the rows after it.
    #expect(file.rows.map(\.number) == [33_199_000_253, 33_199_000_256])
    for header in ["number,reason", "number,decision,lable", "number,decision,decision", "\"number"] {
      let refused = try await read("\(header)\n+33199000248,allow,x\n")
      #expect(refused.rows.isEmpty && refused.problems.count == 1, "\(header)")
    }
    let lines = try await read("{\"number\":\"+33199000248\"}\n[]\n{\"number\":{}}\nnull\n{\"spam\":1}\n", .jsonLines)
    #expect(lines.rows.isEmpty && lines.problems.map(\.line) == [1, 2, 3, 4, 5])
  }

  @Test(arguments: [
    #"{"number":"+33199000248","decision":"allow","decision":"block","reason":"x"}"#,
    #"{"number":"+33199000248","number":"+33199000248","decision":"allow"}"#,
    #"{"number":"+33199000248","decision":"allow","d\u0065cision":"allow"}"#,
  ])
  func `a repeated member is refused`(_ line: String) async throws {
    let right = #"{"number":"+33199000249","decision":"allow","note":"\"a\": b:c \\"}"#
    let file = try await read("\(line)\n\(right)\n", .jsonLines)
    #expect(file.problems.map(text) == ["1 row not_a_row []"])
    #expect(file.rows.map(\.values.note) == [#""a": b:c \"#])
  }

  @Test func `a file of a spreadsheet has Windows lines and quotes at their ends`() async throws {
    let file = try await read(
      "number,decision,reason\r\n+33199000248,block,\"Calls, at night\"\r\n\"+33199000249\",block,\"x\"\r\n")
    #expect(file.rows.map(\.values.reason) == ["Calls, at night", "x"] && file.problems.isEmpty)
  }

  /// Digits without a country could be a number of somebody else: the digits of a number in Berlin one in Greece.
  @Test(arguments: ["02101234567", "-302101234567", "3021012345xx", "30210123456E1", "302101234567/8", "#302101234567"])
  func `a number that is not in international form is refused`(_ number: String) async throws {
    let file = try await read("number,decision,reason\n\(number),block,x\n302101234567,allow,x\n")
    #expect(file.problems.map(text) == ["2 number not_a_number [\(number)]"])
    #expect(file.rows.map(\.number) == [302_101_234_567])
  }

  @Test func `a file of another encoding, or without rows, is refused`() async throws {
    let latin = Data("number,decision,label,reason\n+33199000248,identify,M".utf8) + [0xFC] + Data("ller,x\n".utf8)
    for format in [DecisionFile.Format.csv, .jsonLines] {
      let file = try await DecisionFile.read(latin, as: format, at: now)
      #expect(file.rows.isEmpty && file.problems.map(text) == ["1 rows wrong_encoding []"])
      #expect(try await read("\n", format).problems.map(text) == ["1 rows no_rows []"])
    }
    #expect(try await read("number,decision\n").problems.map(text) == ["1 rows no_rows []"])
  }

  @Test func `the count of rows is limited`() async throws {
    let rows = (0...Bulk.maxRows).map { "\(33_100_000_000 + Int64($0)),allow\n" }.joined()
    let file = try await read("number,decision\n" + rows)
    // A part of a file is not decided, even without its wrong rows.
    #expect(file.rows.isEmpty)
    #expect(file.problems.map(text) == ["\(Bulk.maxRows + 2) rows too_many_rows []"])
  }
}
