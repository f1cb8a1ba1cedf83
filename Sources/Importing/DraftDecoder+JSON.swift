// SPDX-License-Identifier: Apache-2.0

import Timestamps
import Curation
import Foundation

extension DraftDecoder {
  /// The keys of `POST /v1/reports`; others are ignored.
  private struct Report: Decodable {
    var number: String?
    var region: String?
    var category: String?
    var reporter: String?
    var report_id: String?
    var reported_at: String?
    var comment: String?
  }

  mutating func decodeJSON(_ record: UnsafeBufferPointer<UInt8>, line: Int) -> Outcome {
    let report: Report
    do {
      report = try decodeReport(record)
    } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
      return .reject(.badField)
    } catch {
      return .reject(.badJSON)
    }
    guard let number = report.number, let slug = report.category, let time = report.reported_at else {
      return .reject(.missingField)
    }
    if let problem = Self.problem(of: report) { return .reject(problem) }
    guard let reportedAt = Timestamp.parse(time) else { return .reject(.badDate) }
    guard let category = ReportCategory(slug: slug) else { return .reject(.unknownCategory) }
    var draft = ComplaintDraft(
      rawNumber: number, region: report.region, category: category, reportedAt: reportedAt, reporter: report.reporter,
      comment: report.comment, line: line)
    if let text = report.report_id {
      guard let id = UUID(uuidString: text) else { return .reject(.badReportID) }
      draft.reportID = id
      return .draft(draft, nil)
    }
    identity.start()
    for field in [number, report.region, slug, report.reporter, time, report.comment] {
      identity.add((field ?? "").utf8)
    }
    return .draft(draft, identity.digest())
  }

  private mutating func decodeReport(_ record: UnsafeBufferPointer<UInt8>) throws -> Report {
    do {
      return try decoder.decode(Report.self, from: Data(record))
    } catch {
      let (text, wasRepaired) = String.repairing(record)
      guard wasRepaired else { throw error }
      isRepaired = true
      return try decoder.decode(Report.self, from: Data(text.utf8))
    }
  }

  private static func problem(of report: Report) -> RejectReason? {
    // PostgreSQL's text cannot contain NUL.
    for field in [report.number, report.reporter, report.comment] where field?.utf8.contains(0) == true {
      return .badField
    }
    if let number = report.number, number.utf8.count > ComplaintLimits.numberBytes { return .tooLong }
    if let reporter = report.reporter,
      reporter.utf8.count > ComplaintLimits.reporterBytes || reporter.allSatisfy(\.isWhitespace)
    {
      return .badReporter
    }
    if let comment = report.comment, comment.unicodeScalars.count > ComplaintLimits.commentCharacters {
      return .commentTooLong
    }
    return nil
  }
}
