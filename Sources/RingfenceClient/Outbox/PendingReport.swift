// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A report that waits.
struct PendingReport: Equatable {
  /// The fields of the JSON that the outbox reads.
  private struct Names: Decodable {
    let report_id: UUID
    let reporter: String
  }

  let id: UUID
  let reporter: String
  /// The JSON that is sent, the same each time.
  let payload: [UInt8]
  /// Whether the server may have the report already.
  var mayBeSent: Bool
  /// The time before which the report is not sent.
  var notBefore = Date.distantPast

  init(_ report: ClientReport, payload: [UInt8]) {
    id = report.reportID
    reporter = report.reporter
    self.payload = payload
    mayBeSent = false
  }

  /// Reads a report from the outbox's file.
  /// - Parameter payload: the JSON.
  init?(stored payload: [UInt8]) {
    guard let names = try? JSONDecoder().decode(Names.self, from: Data(payload)) else { return nil }
    id = names.report_id
    reporter = names.reporter
    self.payload = payload
    mayBeSent = true
  }
}
