// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@testable import Intake

@Suite struct RemediationSubmissionTests {
  private let now = Date(timeIntervalSince1970: 1_795_262_400)  // 2026-11-21T12:00:00Z

  private func problems(_ change: (inout RemediationSubmission) -> Void) -> [String] {
    var submission = RemediationSubmission(
      day: "2026-11-20",
      rows: [
        .init(
          classes: [
            "pack": "block", "origin": "source", "source": "A list", "score": "high", "age": "week",
            "number_type": "mobile", "treatment": "block",
          ], counts: ["matched": 6, "blocked": 4, "labeled": 2]),
        .init(classes: ["pack": "block", "treatment": "identify"], counts: ["matched": 4, "overridden": 10]),
      ])
    change(&submission)
    do {
      _ = try submission.check(names: [.pack: ["block"], .source: ["A list"]], at: now)
      return []
    } catch {
      return error.problems.map { "\($0.field): \($0.code)" }
    }
  }

  @Test func `every invalid field is reported with a pointer and a code`() {
    #expect(problems { _ in } == [])
    for (day, expected) in [
      ("2026-11-22", []), ("2026-11-18", []), ("2026-11-23", ["day: in_the_future"]), ("2026-11-17", ["day: too_old"]),
      ("2026-11-31", ["day: not_a_day"]), ("+33199000248", ["day: not_a_day"]),
    ] { #expect(problems { $0.day = day } == expected) }
    #expect(problems { $0.rows = [] } == ["counts: length"])
    #expect(problems { $0.rows = Array(repeating: $0.rows[0], count: 21) } == ["counts: length"])
    #expect(problems { $0.rows[1].classes["treatment"] = nil } == ["counts/1/treatment: missing"])
    #expect(problems { $0.rows[0].classes["origin"] = nil } == ["counts/0/source: not_allowed"])
  }

  @Test func `no field has room for a number`() {
    for kind in RemediationClass.allCases {
      for number in ["+33199000248", "33199000248", "0199000248", ""] {
        let found = problems { $0.rows[0].classes[kind.rawValue] = number }
        #expect(found.contains { $0.hasPrefix("counts/0/\(kind.rawValue): ") })
      }
    }
  }

  @Test func `counts above the limit of an installation and day are refused`() {
    for name in RemediationSubmission.counts {
      for count in [-1, 11, 1_000_000_000, .max, .min] {
        #expect(problems { $0.rows[0].counts[name] = count } == ["counts/0/\(name): out_of_range"])
      }
    }
    #expect(problems { $0.rows[0].counts["matched"] = 7 } == ["counts: too_many_calls"])
    #expect(problems { $0.rows[0].counts["overridden"] = 1 } == ["counts: too_many_calls"])
    #expect(problems { $0.rows[0].counts["matched"] = 5 } == ["counts/0/matched: out_of_range"])
    #expect(problems { $0.rows[1].counts = [:] } == ["counts/1/matched: out_of_range"])
    // No more rows than each with one count.
    #expect(
      problems { $0.rows = Array(repeating: .init(classes: $0.rows[1].classes, counts: ["matched": 1]), count: 20) }
        == ["counts: too_many_calls"])
  }
}
