// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Foundation
import Intake

/// The JSON of a report.
struct ReportBody: Decodable {
  let number: String
  let region: String?
  let category: String
  let reporter: String
  /// Required, unless a request with one report has it in `Idempotency-Key`.
  var reportID: String?
  let reportedAt: String
  let comment: String?

  enum CodingKeys: String, CodingKey {
    case number, region, category, reporter, comment
    case reportID = "report_id"
    case reportedAt = "reported_at"
  }

  /// Nil without an id.
  var submission: ReportSubmission? {
    reportID.map {
      ReportSubmission(
        number: number, region: region, category: category, reporter: reporter, reportID: $0, reportedAt: reportedAt,
        comment: comment)
    }
  }

  static let missingID = Problem.Field(
    pointer: "/report_id", code: "missing", detail: "Send a UUID. Use the same UUID for retries.")

  static let withoutID = Problem.malformed(
    "The report has no ID. Add a report_id and send it again.", errors: [missingID])

  /// Applies `Idempotency-Key` to a request with one report: a UUID there, with or without quotes, replaces a missing
  /// `report_id`. If both are given, they must be equal.
  mutating func respect(idempotencyKey: String?) throws {
    guard let key = idempotencyKey?.trimmingCharacters(in: CharacterSet(charactersIn: "\" ")) else {
      if reportID == nil { throw Self.withoutID }
      return
    }
    if let reportID {
      guard reportID.lowercased() == key.lowercased() else {
        throw Problem.malformed("Idempotency-Key and report_id differ. Send one of them, or the same UUID in both.")
      }
    } else {
      guard UUID(uuidString: key) != nil else {
        throw Problem.malformed("Idempotency-Key must be a UUID if report_id is missing.")
      }
      reportID = key
    }
  }

  /// The items of a batch: of an array, or of lines (NDJSON). Blank lines are skipped.
  static func items(of data: Data, areLines: Bool) throws -> [LenientItem<ReportBody>] {
    guard areLines else { return try JSON.decode(LenientArray<ReportBody>.self, from: data).items }
    let lines = data.split(separator: UInt8(ascii: "\n"), maxSplits: 2 * Batch.limit).filter { line in
      line.contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
    }
    guard (1...Batch.limit).contains(lines.count) else { throw Problem.tooMany(limit: Batch.limit) }
    let decoder = JSONDecoder()
    let notJSON = Problem.Field(pointer: "", code: "not_json", detail: "The line is not valid JSON in UTF-8.")
    return lines.map { line in
      guard JSONText.isUTF8(line), let item = try? decoder.decode(LenientItem<ReportBody>.self, from: line) else {
        return .malformed(notJSON)
      }
      return JSONText.repeatedMember(in: line).map { .malformed($0) } ?? item
    }
  }
}
