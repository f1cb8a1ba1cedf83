// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import Storage
import Testing
import Support

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
    try submission.checked(at: now)
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
    let number = try #require(PhoneNumber(digits: 33_199_000_248))
    for (given, stored) in [(nil, nil), ("", nil), ("x", "x")] as [(String?, String?)] {
      let checked = CheckedReport(
        number, category: .fraud, reporter: "a", reportID: UUID(), reportedAt: now + 0.9, comment: given)
      #expect(checked.comment == stored && checked.reportedAt == now)
    }
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

  @Test func `each field has its limits`() throws {
    func isTaken(_ change: (inout ReportSubmission) -> Void) -> Bool { problems(change).isEmpty }
    for (seconds, isRight) in [(300, true), (301, false), (-366 * 86_400, true), (-366 * 86_400 - 1, false)] {
      let time = Timestamp.format(now + Double(seconds))
      #expect(isTaken { $0.reportedAt = time } == isRight, "\(time)")
    }
    for (character, count, isRight) in [
      ("a", 1, true), ("a", 200, true), ("a", 201, false), ("é", 200, true), ("é", 201, false),
      ("\u{1F600}", 200, true),
      ("\u{1F600}", 201, false),
    ] {
      #expect(isTaken { $0.reporter = String(repeating: character, count: count) } == isRight, "\(count) \(character)")
    }
    for (id, isRight) in [
      ("5F0B1F5E-7D3E-4A53-9C1B-0A5A4FC0B9AD", true), ("5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9a", false),
      ("5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ad0", false), ("5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ag", false),
      ("5f0b1f5e07d3e04a5309c1b00a5a4fc0b9ad", false), ("", false),
    ] { #expect(isTaken { $0.reportID = id } == isRight, "\(id)") }
    for (day, code) in [
      ("2026-11-21", nil), ("2026-11-22", "in_the_future"), ("2000-01-01", nil), ("1999-12-31", "before_2000"),
      ("2026-11-21T", "not_a_day"), ("2026-11-2", "not_a_day"), ("2026-02-30", "not_a_day"), ("", "not_a_day"),
    ] as [(String, String?)] {
      #expect(problems { $0.reporterSince = day } == (code.map { ["reporter_since: \($0)"] } ?? []), "\(day)")
    }
    for (address, isRight) in [
      ("203.0.113.7", true), ("2001:DB8::7", true), ("::ffff:203.0.113.7", true), ("fe80::1%eth0", false),
      ("203.0.113.7:80", false), ("203.0.113", false), ("", false), ("example.org", false),
    ] { #expect(isTaken { $0.clientAddress = address } == isRight, "\(address)") }
    for (verification, isRight) in [("failed", true), ("TN-Validation-Passed-B", true), ("", false), ("maybe", false)] {
      #expect(isTaken { $0.verification = verification } == isRight, "\(verification)")
    }
    #expect(try report(good, appID: 1).comment == nil)
    var full = good
    (full.comment, full.reporterSince, full.clientAddress) = ("", "2026-11-20", "203.0.113.7")
    let report = try report(full, appID: 1)
    #expect(report.comment == nil && report.reporterSince == now - 1.5 * 86_400)
    #expect(report.network == pseudonymizer.network(of: "203.0.113.200"))
  }

  @Test func `text of strangers is shown in part`() {
    #expect(VisibleText.beginning(of: "a b\u{7}!~\u{7F}é") == "ab!~")
    #expect(VisibleText.beginning(of: String(repeating: "x", count: 20)) == String(repeating: "x", count: 16))
  }
}
