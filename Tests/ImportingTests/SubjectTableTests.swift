// SPDX-License-Identifier: Apache-2.0

import Curation
import TestSupport
import Testing

@testable import Importing

@Suite struct SubjectTableTests {
  @Test(arguments: [
    ("Other other", 1), ("A\tother\nB\tnonsense", 2), ("# c\n\nA\tother\na\tother", 4), ("A\tother\tother\tother", 1),
    ("\tother", 1), ("A\t", 1),
  ])
  func `a malformed subject table is refused with the line`(text: String, line: Int) {
    #expect {
      _ = try SubjectTable(text: text, name: "t")
    } throws: {
      guard case ImportFileError.badTable(path: "t", line: line, reason: _) = $0 else { return false }
      return true
    }
  }

  @Test func `carriage returns and comments are accepted`() throws {
    let table = try SubjectTable(text: "# c\r\nA  b\tfraud\r\n\r\nC\tother\trobocall\r\n")
    #expect(table.count == 2)
    #expect(table.category(for: "a B", isRecording: true) == .fraud)
    #expect(table.category(for: "C", isRecording: true) == .robocall)
    #expect(table.category(for: "C", isRecording: false) == .other)
    #expect(table.category(for: "D", isRecording: false) == nil)
  }

  @Test func `the included subject table is parsed`() throws {
    let table = try SubjectTable(contentsOf: "\(Checkout.resources)/ftc-subjects.tsv")
    #expect(table.category(for: "Lotteries, prizes  & sweepstakes", isRecording: false) == .fraud)
    #expect(table.count >= 15)
  }

  @Test func `a missing subject table is refused`() {
    #expect(throws: ImportFileError.self) { _ = try SubjectTable(contentsOf: "/nonexistent/subjects.tsv") }
  }
}
