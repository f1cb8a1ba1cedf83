// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Intake
import PhoneNumbers
import Storage
import Support

/// `GET /v1/reports/outcomes`: the newest publication's answers about numbers that a reporter has reported.
struct ReportOutcomesController: Sendable {
  private static let maxNumbers = 100

  let outcomes: ReportOutcomeStore
  let pseudonymizer: Pseudonymizer
  let senders: InstallationHeader

  private struct Answer: Encodable {
    struct Outcome: Encodable {
      let number: String
      let reported_at: String
      let outcome: String
      let treatment: String?
    }

    /// The newest publication; the next request sends it as `since`.
    let serial: Int64
    let outcomes: [Outcome]
  }

  @Sendable func read(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let app = context.app else { throw Problem.unauthorized }
    let query = request.uri.queryParameters
    let sender = try await senders.sender(of: request, app: app)
    let names = [sender.reporter, sender.former, query["reporter"].map(String.init)].compactMap(\.self)
    guard !names.isEmpty else {
      throw Problem.parameter("reporter", "", "Send the app's name for its user, as in the reports.")
    }
    if let long = names.first(where: { !(1...TextLimit.reporter).contains($0.unicodeScalars.count) }) {
      throw Problem.parameter(
        "reporter", String(long.prefix(40)), "It must have 1 to \(TextLimit.reporter) characters.")
    }
    let texts = query[values: "number"].map(String.init)
    guard (1...Self.maxNumbers).contains(texts.count) else {
      throw Problem.parameter(
        "number", "\(texts.count)",
        "That is the count of numbers. Send 1 to \(Self.maxNumbers) numbers, each as number=%2B12015550123.")
    }
    let numbers = try texts.map { try NumbersController.number($0).digits }
    let since = try query["since"].map { text -> Int64 in
      guard let serial = Int64(text), serial >= 0 else {
        throw Problem.parameter(
          "since", String(text), "It must be the serial of an earlier answer. Leave it out for all.")
      }
      return serial
    }
    let (serial, found) = try await withDeadline { [outcomes, pseudonymizer] in
      try await outcomes.outcomes(
        of: numbers, by: names.map { pseudonymizer.pseudonym(of: $0, appID: app.id) }, since: since)
    }
    var response = JSON.response(
      Answer(
        serial: serial,
        outcomes: found.map {
          .init(
            number: "+\($0.number)", reported_at: Timestamp.format($0.reportedAt), outcome: $0.outcome.rawValue,
            treatment: $0.treatment)
        }))
    response.headers[.cacheControl] = "no-store"
    return sender.marking(response)
  }
}
