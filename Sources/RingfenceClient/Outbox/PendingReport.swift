import Foundation

/// A report that waits.
struct PendingReport: Equatable {
  /// What of its JSON is looked at again.
  private struct Names: Decodable {
    let report_id: UUID
    let reporter: String
  }

  let id: UUID
  let reporter: String
  /// The JSON that is sent, the same each time.
  let payload: [UInt8]
  /// It may be on the server already.
  var mayBeSent: Bool
  /// Not to be sent again before.
  var notBefore = Date.distantPast

  init(_ report: ClientReport, payload: [UInt8]) {
    id = report.reportID
    reporter = report.reporter
    self.payload = payload
    mayBeSent = false
  }

  /// - Parameter payload: as the file has it.
  init?(stored payload: [UInt8]) {
    guard let names = try? JSONDecoder().decode(Names.self, from: Data(payload)) else { return nil }
    id = names.report_id
    reporter = names.reporter
    self.payload = payload
    mayBeSent = true
  }
}
