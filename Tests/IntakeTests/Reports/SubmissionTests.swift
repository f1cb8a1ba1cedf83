// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import Testing

@testable import Intake

@Suite struct SubmissionTests {
  private let now = Date(timeIntervalSince1970: 1_795_262_400)  // 2026-11-21T12:00:00Z
  private let pseudonymizer = Pseudonymizer(key: [UInt8](repeating: 7, count: 32))

  private var good: ReportSubmission {
    ReportSubmission(
      number: "+33 1 99 00 02 48", category: "fraud", reporter: "user-1",
      reportID: "5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ad", reportedAt: "2026-11-21T11:59:00Z")
  }

  private func report(_ submission: ReportSubmission, appID: Int32) throws(InvalidSubmission) -> Report {
    try submission.checked(at: now, reading: NumberReader())
      .report(appID: appID, pseudonymizer: pseudonymizer, network: nil)
  }

  private func problems(_ change: (inout ReportSubmission) -> Void) -> [String] {
    var submission = good
    change(&submission)
    do {
      _ = try report(submission, appID: 1)
      return []
    } catch {
      return error.problems.map { "\($0.field): \($0.code)" }
    }
  }

  @Test func `a valid submission becomes a report`() throws {
    let report = try report(good, appID: 3)
    #expect(report.number == 33_199_000_248)
    #expect(report.category == .fraud)
    #expect(report.appID == 3)
    #expect(report.reporter == pseudonymizer.pseudonym(of: "user-1", appID: 3))
    #expect(report.reportedAt == Date(timeIntervalSince1970: 1_795_262_340))
  }

  @Test func `every field is validated`() {
    #expect(problems { $0.number = "" } == ["number: empty"])
    #expect(problems { $0.number = "01 99 00 02 48" } == ["region: needs_region"])
    #expect(problems { ($0.number, $0.region) = ("01 99 00 02 48", "FR") } == [])
    #expect(problems { $0.region = "XX" } == ["region: unknown_region"])
    #expect(problems { ($0.number, $0.region) = ("112", "FR") } == ["number: short_or_emergency"])
    #expect(problems { $0.category = "spam" } == ["category: unknown_category"])
    #expect(problems { $0.reporter = "" } == ["reporter: length"])
    #expect(problems { $0.reporter = String(repeating: "a", count: 201) } == ["reporter: length"])
    #expect(problems { $0.reportID = "1" } == ["report_id: not_a_uuid"])
    #expect(problems { $0.reportedAt = "yesterday" } == ["reported_at: not_a_time"])
    #expect(problems { $0.reportedAt = "2026-11-21T12:05:01Z" } == ["reported_at: in_the_future"])
    #expect(problems { $0.reportedAt = "2026-11-21T14:04:59+02:00" } == [])
    #expect(problems { $0.reportedAt = "2025-11-19T12:00:00Z" } == ["reported_at: too_old"])
    #expect(problems { $0.comment = String(repeating: "é", count: 500) } == [])
    #expect(problems { $0.comment = String(repeating: "é", count: 501) } == ["comment: length"])
    #expect(problems { $0.comment = "a\0b" } == ["comment: length"])
  }

  @Test func `an unknown category is refused with its beginning and all categories`() {
    var submission = good
    submission.category = "spam\u{202E}" + String(repeating: "x", count: 100)
    let error = #expect(throws: InvalidSubmission.self) { try report(submission, appID: 1) }
    let detail = error?.problems.first?.detail ?? ""
    #expect(detail.hasPrefix("\"spamxxxxxxxxxxx\" is not allowed. Use one of: fraud, "))
    for category in ReportCategory.allCases { #expect(detail.contains(category.slug)) }
  }

  @Test func `all problems are reported together`() {
    let all = problems {
      $0.number = "x"
      $0.category = "x"
      $0.reportID = "x"
    }
    #expect(all == ["number: not_a_number", "category: unknown_category", "report_id: not_a_uuid"])
  }

  @Test func `pseudonyms differ by app and key and hide the name`() {
    let other = Pseudonymizer(key: [UInt8](repeating: 8, count: 32))
    let mine = pseudonymizer.pseudonym(of: "user-1", appID: 1)
    #expect(mine.count == 16)
    #expect(mine == pseudonymizer.pseudonym(of: "user-1", appID: 1))
    #expect(mine != pseudonymizer.pseudonym(of: "user-1", appID: 2))
    #expect(mine != pseudonymizer.pseudonym(of: "user-2", appID: 1))
    #expect(mine != other.pseudonym(of: "user-1", appID: 1))
  }
}
