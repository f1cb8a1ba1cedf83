// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Foundation
import Hummingbird
import Publishing
import Storage

/// Orders of administrators to publish now, and to overrule gates.
struct PublicationOrderPages: Sendable {
  let jobs: PublicationJobs?

  static let address = "/moderation/publications"

  @Sendable func order(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let jobs else { throw Problem.notFound }
    let gates = Set(context.form.all("gate").compactMap(Gate.init(rawValue:)).filter(\.canBeOverruled)).sorted()
    let reason = context.form.text("reason")
    func back(_ outcome: String) -> Response { .redirect(to: "\(Self.address)?order=\(outcome)", type: .normal) }
    guard gates.isEmpty || reason != nil else { return back("reason-needed") }
    guard (reason ?? "").unicodeScalars.count <= 1_000 else { return back("reason-long") }
    let isTaken = try await jobs.order(
      by: moderator.name, overruling: gates, because: reason,
      audit: AuditEvent(
        actor: moderator.name, role: moderator.role,
        action: gates.isEmpty ? "publication.order" : "publication.overrule", subject: "publication",
        after: gates.isEmpty ? nil : ["gates": gates.map(\.rawValue).joined(separator: " ")], reason: reason))
    return back(isTaken ? "taken" : "busy")
  }
}

/// The result of the last order, for the template `publications`.
struct OrderRow: Encodable {
  let text: String
  let askedAt: PageTime
  let isAlarm: Bool
  /// Whether the same order may be sent again now.
  let canRepeat: Bool
  /// Whether the same order may be sent again after the running publication ends.
  let mustWait: Bool

  /// - Parameter isTaken: whether a publication is running.
  init(_ order: PublicationJobs.Order, isTaken: Bool, _ texts: Localizer) {
    text = texts("publications.last-\(order.state.rawValue)", ["name": order.account])
    askedAt = PageTime(order.askedAt, texts)
    isAlarm = order.state == .failed || order.state == .broken
    // An order that overrules gates is not repeated: it needs a new reason for the new publication.
    let isOver = (isAlarm || order.state == .busy) && order.gates.isEmpty
    canRepeat = isOver && !isTaken
    mustWait = isOver && isTaken
  }
}
