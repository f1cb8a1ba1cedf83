// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import Hummingbird
import Storage
import Synchronization

/// `POST /v1/installations` and `DELETE /v1/installations/{installation_id}`
final class InstallationsController: Sendable {
  private struct Answer: Encodable {
    let installationID: String
    let token: String

    enum CodingKeys: String, CodingKey {
      case token
      case installationID = "installation_id"
    }
  }

  /// The maximum tokens of an app in a UTC day.
  static let maxADay = 100_000

  private let installations: InstallationStore
  private let created = Mutex(DailyCounts(limit: InstallationsController.maxADay, capacity: 4_096))

  init(installations: InstallationStore) {
    self.installations = installations
  }

  /// Creates a token for an installed app.
  @Sendable func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let app = context.app else { throw Problem.unauthorized }
    let now = Date()
    guard created.withLock({ $0.take(app.id, at: now) }) else {
      throw Problem.limited(.init(limit: "app", retryAfter: DailyCounts.secondsLeft(at: now)))
    }
    let made = try await withDeadline { [installations] in try await installations.create(for: app, at: now) }
    guard let made else { throw Problem.unauthorized }
    var response = JSON.response(
      Answer(installationID: Hexadecimal.text(made.digest), token: made.token), status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// Revokes a token. Also 204 if it was revoked before.
  @Sendable func revoke(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let app = context.app else { throw Problem.unauthorized }
    let text = try context.parameters.require("installation_id")
    guard let digest = Hexadecimal.bytes(text), digest.count == 32 else { throw Problem.notFound }
    let isKnown = try await withDeadline { [installations] in
      try await installations.revoke(digest: digest, of: app, at: Date())
    }
    guard isKnown else { throw Problem.notFound }
    return Response(status: .noContent)
  }
}
