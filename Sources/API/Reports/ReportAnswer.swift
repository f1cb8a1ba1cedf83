// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
import Foundation
package import Intake
import PhoneNumbers
import Storage

/// The JSON of a report's result.
package struct ReportAnswer: Encodable {
  package var number: String?
  package var reportID: String?
  /// `created`, `duplicate`, `conflict` or `withdrawn`; in a batch also `invalid`, `limited` if the reporter has
  /// reached the daily limit, and `failed` after an internal failure.
  package let status: String
  package var errors: [Problem.Field]?

  package enum CodingKeys: String, CodingKey {
    case number, status, errors
    case reportID = "report_id"
  }
}

extension ReportAnswer {
  package init(_ taken: TakenReport) {
    number = PhoneNumber(digits: taken.report.number)?.e164
    reportID = taken.report.reportID.uuidString.lowercased()
    status = taken.outcome.name
  }

  package init(invalid errors: [Problem.Field], reportID: String? = nil) {
    self.reportID = reportID
    self.errors = errors
    status = "invalid"
  }

  package static func failed(reportID: String?) -> ReportAnswer {
    let error = Problem.Field(
      pointer: "", code: "unavailable", detail: "The report was not stored. Send it again in a few seconds.")
    return ReportAnswer(reportID: reportID, status: "failed", errors: [error])
  }

  package static func limited(reportID: String?) -> ReportAnswer {
    let error = Problem.Field(
      pointer: "/reporter", code: "daily_limit",
      detail: "This reporter has reached the daily limit. Send the report after midnight (UTC).")
    return ReportAnswer(reportID: reportID, status: "limited", errors: [error])
  }
}

/// The JSON of a batch's result: one result for each item, in order.
package struct BatchAnswer: Encodable {
  package let results: [ReportAnswer]
}

extension ReportOutcome {
  /// The name in the API.
  fileprivate var name: String {
    switch self {
    case .created: "created"
    case .duplicate: "duplicate"
    case .conflict: "conflict"
    case .withdrawn: "withdrawn"
    }
  }
}
