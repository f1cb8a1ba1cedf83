// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
public import Storage
import Timestamps

extension ReportSubmission {
  /// How far a phone's clock may be ahead, in seconds: five minutes.
  public static let clockLeeway: TimeInterval = 300

  /// How old a report may be when it arrives, in seconds: 366 days. Older ones have practically no heat.
  public static let greatestAge: TimeInterval = 366 * 86_400

  /// The report to be stored, with the reporter's name replaced by a pseudonym.
  /// - Parameter network: the sender's network from ``Pseudonymizer/network(of:)``; nil when it is unknown.
  /// - Throws: ``InvalidSubmission`` with every field that breaks a rule.
  public func report(
    appID: Int32, at now: Date, pseudonymizer: Pseudonymizer, network: [UInt8]? = nil
  ) throws(InvalidSubmission) -> Report {
    try report(
      appID: appID, at: now, pseudonymizer: pseudonymizer, network: network,
      readNumber: { (text, region) throws(PhoneNumberError) in try PhoneNumber(parsing: text, region: region) })
  }

  /// The same, with numbers read by `readNumber`.
  func report(
    appID: Int32, at now: Date, pseudonymizer: Pseudonymizer, network: [UInt8]?,
    readNumber: (String, String?) throws(PhoneNumberError) -> PhoneNumber
  ) throws(InvalidSubmission) -> Report {
    var problems: [FieldProblem] = []
    func check<Value>(_ rule: () throws(FieldProblem) -> Value) -> Value? {
      do {
        return try rule()
      } catch {
        problems.append(error)
        return nil
      }
    }
    let number = check { () throws(FieldProblem) in try checkedNumber(readNumber) }
    let category = check(checkedCategory)
    let reporter = check(checkedReporter)
    let reportID = check(checkedReportID)
    let reportedAt = check { () throws(FieldProblem) in try checkedTime(now: now) }
    let comment = check(checkedComment)
    guard let number, let category, let reporter, let reportID, let reportedAt, problems.isEmpty else {
      throw InvalidSubmission(problems: problems)
    }
    return Report(
      number: number, appID: appID, reportID: reportID, reportedAt: reportedAt, category: category,
      reporter: pseudonymizer.pseudonym(of: reporter, appID: appID), comment: comment ?? nil, network: network)
  }

  private func checkedNumber(
    _ read: (String, String?) throws(PhoneNumberError) -> PhoneNumber
  ) throws(FieldProblem) -> Int64 {
    do throws(PhoneNumberError) {
      return try read(number, region).digits
    } catch {
      throw FieldProblem(error)
    }
  }

  private func checkedCategory() throws(FieldProblem) -> ReportCategory {
    guard let category = ReportCategory(slug: category) else {
      throw FieldProblem(
        field: "category", code: "unknown_category",
        detail: "Use one of: \(ReportCategory.allCases.map(\.slug).joined(separator: ", ")).")
    }
    return category
  }

  private func checkedReporter() throws(FieldProblem) -> String {
    // A text has at most as many code points as bytes; counting code points takes longer.
    let bytes = reporter.utf8.count
    guard bytes > 0, bytes <= 200 || (bytes <= 800 && reporter.unicodeScalars.count <= 200) else {
      throw FieldProblem(
        field: "reporter", code: "length",
        detail: "Send your own ID of the user, 1 to 200 characters. Only a keyed hash is stored.")
    }
    return reporter
  }

  private func checkedReportID() throws(FieldProblem) -> UUID {
    guard let id = UUID(hyphenated: reportID) ?? UUID(uuidString: reportID) else {
      throw FieldProblem(
        field: "report_id", code: "not_a_uuid", detail: "Send a UUID. Use the same UUID for retries.")
    }
    return id
  }

  private func checkedTime(now: Date) throws(FieldProblem) -> Date {
    guard let time = Timestamp.parse(reportedAt) else {
      throw FieldProblem(
        field: "reported_at", code: "not_a_time", detail: "Send an RFC 3339 time, such as 2026-11-21T12:00:00Z.")
    }
    if time > now.addingTimeInterval(Self.clockLeeway) {
      throw FieldProblem(
        field: "reported_at", code: "in_the_future", detail: "The time is more than 5 minutes in the future.")
    }
    if time < now.addingTimeInterval(-Self.greatestAge) {
      throw FieldProblem(
        field: "reported_at", code: "too_old", detail: "The report is older than one year.")
    }
    return time
  }

  /// The comment; nil for an empty one.
  private func checkedComment() throws(FieldProblem) -> String? {
    guard let comment, !comment.isEmpty else { return nil }
    // PostgreSQL's text has no NUL, and its length is in code points.
    guard comment.unicodeScalars.count <= 500, !comment.unicodeScalars.contains("\0") else {
      throw FieldProblem(
        field: "comment", code: "length", detail: "A comment can have at most 500 characters and no NUL.")
    }
    return comment
  }
}
