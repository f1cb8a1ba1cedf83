// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Storage

/// `POST /v1/remediations`
struct RemediationsController: Sendable {
  let intake: RemediationIntake
  let bodies: BodyReader
  let senders: InstallationHeader

  /// Counts a day of an installation once, completely or not at all. 201 if it is the first of the day, 200 otherwise.
  @Sendable func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
    struct Answer: Encodable {
      let day: String
      /// `created` or `duplicate`.
      let status: String
    }
    guard let app = context.app else { throw Problem.unauthorized }
    guard JSON.mediaType(of: request) == "application/json" else { throw Problem.unsupportedMediaType }
    return try await bodies.read(request, .object, context: context) { data in
      let submission = try JSON.decode(RemediationsBody.self, from: data).submission
      let sender = try await senders.sender(of: request, app: app)
      guard let installation = sender.reporter else { throw Self.noInstallation(sender) }
      do {
        let isNew = try await intake.take(submission, of: installation, from: app)
        return sender.marking(
          JSON.response(
            Answer(day: submission.day, status: isNew ? "created" : "duplicate"), status: isNew ? .created : .ok))
      } catch let error as InvalidSubmission {
        throw Problem.invalid(error.problems, kind: .invalidBatch)
      }
    }
  }

  /// The token is missing, has ended, or belongs to an installation of another app.
  private static func noInstallation(_ sender: InstallationHeader.Sender) -> Problem {
    let problem = Problem.Field(
      pointer: "", code: "installation",
      detail: (sender.state == nil
        ? "The header Ringfence-Installation is missing. " : "The token is not a valid one of this app. ")
        + "Create a token with POST /v1/installations and send it in Ringfence-Installation.")
    return sender.marking(Problem(.invalidBatch, errors: [problem]))
  }
}

/// A day's counts. Members that it does not know are refused: none may have a number.
struct RemediationsBody: Decodable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  private struct Row: Decodable {
    let row: RemediationSubmission.Row

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      let classes = RemediationClass.allCases.map(\.rawValue)
      try RemediationsBody.refuseOthers(than: classes + RemediationSubmission.counts, in: container)
      func read<Value: Decodable>(_ names: [String]) throws -> [String: Value] {
        try names.reduce(into: [:]) { $0[$1] = try container.decodeIfPresent(Value.self, forKey: Name($1)) }
      }
      row = .init(classes: try read(classes), counts: try read(RemediationSubmission.counts))
    }
  }

  let submission: RemediationSubmission

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    try Self.refuseOthers(than: ["day", "counts"], in: container)
    let day = try container.decode(String.self, forKey: Name("day"))
    submission = .init(day: day, rows: try container.decode([Row].self, forKey: Name("counts")).map(\.row))
  }

  private static func refuseOthers(than names: [String], in container: KeyedDecodingContainer<Name>) throws {
    guard let other = container.allKeys.first(where: { !names.contains($0.stringValue) }) else { return }
    throw Problem.malformed(
      "The member \"\(VisibleText.beginning(of: other.stringValue))\" is not allowed. \(VisibleText.choice(of: names))")
  }
}
