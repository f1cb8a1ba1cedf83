import Foundation
import Hummingbird
import Publishing
import Storage

/// Orders of administrators to publish now, and against gates.
struct PublicationOrderPages: Sendable {
  let store: PublicationStore
  let desk: PublicationDesk?
  let pages: PageRenderer

  static let address = "/moderation/publications"

  @Sendable func order(_ request: Request, context: WebContext) async throws -> Response {
    guard let moderator = context.moderator, let desk else { throw Problem.notFound }
    let gates = context.form.all("gate").compactMap(Gate.init(rawValue:)).filter(\.canBeOverruled)
    let reason = context.form.text("reason")
    func back(_ outcome: String) -> Response { .redirect(to: "\(Self.address)?order=\(outcome)", type: .normal) }
    guard gates.isEmpty || reason != nil else { return back("reason-needed") }
    let words = reason ?? ""
    guard words.unicodeScalars.count <= 1_000 else { return back("reason-long") }
    let now = Date()
    let overrules = Set(gates).sorted().map {
      PublicationRequest.Overrule(gate: $0, reason: words, by: moderator.name)
    }
    guard desk.outcome != .running else { return back("busy") }
    // First the trail: what cannot be noted is not ordered.
    try await store.note(
      AuditEvent(
        actor: moderator.name, role: moderator.role,
        action: gates.isEmpty ? "publication.order" : "publication.overrule", subject: "publication",
        after: gates.isEmpty ? nil : ["gates": gates.map(\.rawValue).joined(separator: " ")], reason: reason),
      at: now)
    let isTaken = desk.order(PublicationRequest(time: now, cause: .command, overrules: overrules))
    return back(isTaken ? "taken" : "busy")
  }
}
