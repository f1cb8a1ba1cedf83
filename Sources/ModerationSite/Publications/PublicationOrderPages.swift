// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Foundation
import HTTPTypes
import Hummingbird
import Publishing
import Storage

/// Orders of administrators to publish now, and to overrule gates.
struct PublicationOrderPages: Sendable {
  let jobs: PublicationOrders?
  let pages: PublicationPages

  static let address = "/moderation/publications"

  @Sendable func order(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let jobs else { throw Problem.notFound }
    let gates = Set(context.form.all("gate").compactMap(Gate.init(rawValue:)).filter(\.canBeOverruled)).sorted()
    let reason = context.form.text("reason")
    func refuse(_ problem: String, _ status: HTTPResponse.Status) async throws -> Response {
      let draft = OrderDraft(gates: gates, reason: String((reason ?? "").prefix(4_000)), problem: problem)
      return try await pages.show(context, draft: draft, status: status)
    }
    guard gates.isEmpty || reason != nil else { return try await refuse("reason-needed", .unprocessableContent) }
    guard (reason ?? "").unicodeScalars.count <= 1_000 else {
      return try await refuse("reason-long", .unprocessableContent)
    }
    let isTaken = try await jobs.order(
      by: moderator.name, overruling: gates, because: reason,
      audit: AuditEvent(
        actor: moderator.name, role: moderator.role,
        action: gates.isEmpty ? "publication.order" : "publication.overrule", subject: "publication",
        after: gates.isEmpty ? nil : ["gates": gates.map(\.rawValue).joined(separator: " ")], reason: reason))
    guard isTaken else { return try await refuse("busy", .conflict) }
    return .redirect(to: Self.address, type: .normal)
  }
}
