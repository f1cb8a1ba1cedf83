// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Foundation
import HTTPTypes
import Hummingbird
import Intake
import Storage

/// `POST /v1/identifications`
struct IdentificationsController: Sendable {
  let intake: IdentificationIntake
  let limiter: RateLimiter
  let bodies: BodyReader
  let senders: InstallationHeader

  /// Counts a batch once, completely or not at all. 201 if the batch is new, 200 if it was counted before.
  @Sendable func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let app = context.app else { throw Problem.unauthorized }
    guard JSON.mediaType(of: request) == "application/json" else { throw Problem.unsupportedMediaType }
    return try await bodies.read(request, .batch, context: context) { data in
      let submission = try JSON.decode(IdentificationsBody.self, from: data).submission
      try limiter.charge(submission.items.count - 1, context: context)
      let sender = try await senders.sender(of: request, app: app)
      // A batch counts like a report of the installation.
      guard sender.reporter.map({ limiter.takeReports(of: [$0], appID: app.id)[0] }) ?? true else {
        throw Problem.limited(.init(limit: "reporter", retryAfter: limiter.secondsLeftInDay))
      }
      let batchID = submission.batchID.lowercased()
      do {
        switch try await intake.take(submission, from: app) {
        case .created:
          return sender.marking(
            JSON.response(IdentificationsAnswer(batchID: batchID, status: "created"), status: .created))
        case .duplicate:
          return sender.marking(JSON.response(IdentificationsAnswer(batchID: batchID, status: "duplicate")))
        case .conflict: throw Problem.conflict
        }
      } catch let error as InvalidSubmission {
        throw Problem.invalid(error.problems, kind: .invalidBatch)
      }
    }
  }
}

struct IdentificationsBody: Decodable {
  private struct Item: Decodable {
    let number: String
    let region: String?
    let named: Int
    let unknown: Int
    let day: String
  }

  let submission: IdentificationSubmission

  private enum CodingKeys: String, CodingKey {
    case items
    case batchID = "batch_id"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var list = try container.nestedUnkeyedContainer(forKey: .items)
    guard (1...Batch.limit).contains(list.count ?? 0) else { throw Problem.tooMany(limit: Batch.limit) }
    var items: [IdentificationSubmission.Item] = []
    while !list.isAtEnd {
      let item = try list.decode(Item.self)
      items.append(
        .init(number: item.number, region: item.region, named: item.named, unknown: item.unknown, day: item.day))
    }
    submission = IdentificationSubmission(batchID: try container.decode(String.self, forKey: .batchID), items: items)
  }
}

struct IdentificationsAnswer: Encodable {
  let batchID: String
  /// `created` or `duplicate`.
  let status: String

  enum CodingKeys: String, CodingKey {
    case status
    case batchID = "batch_id"
  }
}
