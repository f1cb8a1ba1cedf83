// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Curation

@Suite struct RejectedRowsTests {
  private func rows(_ count: Int, of all: Int, reason: String = "too_short") -> RejectedRows {
    var rejected = RejectedRows()
    rejected.rows = all
    for row in 0..<count { rejected.add(row: row + 1, reason: reason, text: "x\(row)") }
    return rejected
  }

  @Test func `counts every row by reason and keeps five examples`() throws {
    var rejected = rows(7, of: 20)
    rejected.add(row: 19, reason: "a_new_reason", text: "last")
    #expect(rejected.count == 8 && rejected.reasons == ["too_short": 7, "a_new_reason": 1])
    #expect(rejected.sortedReasons.map(\.code) == ["too_short", "a_new_reason"])
    #expect(rejected.examples.map(\.row) == [1, 2, 3, 4, 5])
    #expect(RejectedRows(json: rejected.json) == rejected && RejectedRows(json: "[]") == nil)
  }

  @Test(arguments: [
    ("+49 30 23125xxx", "+49 30 23125xxx"), ("a\tb\u{0}\u{1B}[2J", #"a\u{9}b\u{0}\u{1B}[2J"#),
    ("\u{202E}321\u{200F}", #"\u{202E}321\u{200F}"#), ("1\u{A0}2\u{2028}3", #"1\u{A0}2\u{2028}3"#),
    ("<b>&\"Ä\u{FF11}", "<b>&\"Ä\u{FF11}"),
    (String(repeating: "e\u{301}", count: 40), String(repeating: "e\u{301}", count: 40)),
    (String(repeating: "1", count: 81), String(repeating: "1", count: 80) + "…"),
    (String(repeating: "e\u{301}", count: 5_000), String(repeating: "e\u{301}", count: 40) + "…"),
  ])
  func `an example is cut and every character of it is visible`(text: String, shown: String) {
    var rejected = RejectedRows()
    rejected.add(row: 1, reason: "not_a_number", text: text)
    #expect(rejected.examples.map(\.text) == [shown])
  }

  @Test(arguments: [
    (10, 100, 5, 100, true), (10, 100, 6, 100, false), (9, 100, 0, 100, false), (10, 1_000, 0, 100, true),
    (10, 1_001, 0, 100, false), (100, 100, 0, 0, false), (0, 100, 0, 100, false),
  ])
  func `a share that doubles and matters is told`(count: Int, all: Int, formerCount: Int, formerAll: Int, isTold: Bool)
  {
    #expect(rows(count, of: all).hasDoubled(since: rows(formerCount, of: formerAll)) == isTold)
  }

  @Test(arguments: [(0, 0, false), (1, 3, false), (2, 5, true), (3, 3, true)])
  func `more than a third is too much`(count: Int, all: Int, exceedsThird: Bool) {
    #expect(rows(count, of: all).exceedsThird == exceedsThird)
  }

  @Test func `changes are added to the complete list, with their examples first`() {
    var rejected = rows(4, of: 100)
    rejected.add(changes: rows(2, of: 10, reason: "too_long"))
    #expect((rejected.rows, rejected.count) == (110, 6) && rejected.reasons == ["too_short": 4, "too_long": 2])
    #expect(rejected.examples.map(\.reason) == ["too_long", "too_long", "too_short", "too_short", "too_short"])
  }
}
