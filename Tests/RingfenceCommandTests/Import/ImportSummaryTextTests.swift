// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Importing
import Testing

@testable import RingfenceCommand

@Suite struct ImportSummaryTextTests {
  @Test func `lists unknown subjects with their counts`() {
    var summary = ImportSummary()
    summary.unknownSubjects = ["New one": 1]
    summary.unknownSubjectRows = 1
    #expect(summary.text.contains("New one 1"))
  }

  @Test func `control characters of a file do not reach the terminal`() {
    var summary = ImportSummary()
    summary.unknownSubjects = ["a\u{1B}[2J\u{202E}b": 2]
    summary.unknownSubjectRows = 2
    #expect(summary.text.contains("a\u{FFFD}[2J\u{FFFD}b 2"))
  }

  @Test func `lists the reasons and examples of rejected rows`() {
    var summary = ImportSummary()
    summary.rows = 9
    summary.rejects.add(row: 4, reason: "not_a_number", text: "+49 30 23125\u{202E}xxx")
    summary.rejects.add(row: 7, reason: "a_new_reason", text: "y")
    #expect(
      summary.text.contains(
        """
          2 rejected:
            a_new_reason 1
            not_a_number 1
            row 4, not_a_number: +49 30 23125\\u{202E}xxx
            row 7, a_new_reason: y
        """))
  }

  @Test func `shows the date from which rows are accepted`() {
    var summary = ImportSummary()
    summary.rejects.add(row: 2, reason: "date_before_retention", text: "x")
    summary.droppedBefore = Date(timeIntervalSince1970: 1_675_209_600)
    #expect(summary.text.contains("date_before_retention: the date is before 2023-02-01T00:00:00Z."))
  }
}
