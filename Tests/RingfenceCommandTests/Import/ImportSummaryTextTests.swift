// SPDX-License-Identifier: Apache-2.0

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

  @Test func `shows the date from which rows are accepted`() {
    var summary = ImportSummary()
    summary.rejected = [.dateBeforeRetention: 1]
    summary.droppedBefore = Date(timeIntervalSince1970: 1_675_209_600)
    #expect(summary.text.contains("date_before_retention: the date is before 2023-02-01T00:00:00Z."))
  }
}
