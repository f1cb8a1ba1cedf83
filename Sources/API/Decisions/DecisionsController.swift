// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Moderation
import PhoneNumbers
import Storage

/// Decisions of service accounts about single numbers.
struct DecisionsController: Sendable {
  let cases: CaseStore
  let service: DecisionService
  let bodies: BodyReader
  let texts: Localizer

  private struct Answer: Encodable {
    let number: String
    let decisionID: String
    /// decided, duplicate or proposed.
    let status: String
  }

  /// `POST /v1/moderation/cases/{number}/decisions`: decides, or proposes a decision to people.
  @Sendable func decide(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, worker, id) = (try context.number, try context.serviceAccount, try request.idempotencyKey())
    try request.requireJSON()
    return try await bodies.read(request, .object, context: context) { data in
      let body = try JSON.decode(DecisionBody.self, from: data)
      do {
        let decision = try body.decision(of: number.digits, id: id, by: worker.name, at: Date())
        let status = try await make(decision, body, worker)
        return try JSON.uncachedResponse(
          Answer(number: number.e164, decisionID: id.uuidString.lowercased(), status: status),
          status: status == "duplicate" ? .ok : .created)
      } catch let violation as RuleViolation {
        let field = Problem.Field(violation, value: body.choices[violation.field] ?? nil, texts)
        throw Problem(.invalidDecision, errors: [field])
      } catch {
        throw try Problem.refusal(error, texts)
      }
    }
  }

  private func make(_ decision: Decision, _ body: DecisionBody, _ worker: Actor) async throws -> String {
    let now = try await cases.brief(decision.number, at: decision.decidedAt)
    let isAgain = now.decisions.contains { $0.id == decision.id }
    if !isAgain {
      if let item = now.item {
        switch CaseAccess(level: item.level, claim: item.claim, for: worker, at: decision.decidedAt) {
        case .open: break
        case .needs: throw Problem.scope(.administer)
        case .claimed: if body.needsPerson != true { throw Problem(.caseClaimed) }
        }
      }
      if decision.treatment == .block { try now.blockRule.check(isConfirmed: body.confirm == true) }
    }
    if body.needsPerson == true {
      guard try await service.propose(decision, role: worker.role) else {
        throw Problem(.notFound, detail: "The number has no case. A decision can only be proposed for a case.")
      }
      return "proposed"
    }
    // An appeal has an answer of a person.
    switch try await service.record(
      decision, expecting: .this(body.replaces), role: worker.role, answersAppeals: false)
    {
    case .recorded: return "decided"
    case .duplicate: return "duplicate"
    case .conflict: throw Problem.conflict
    }
  }

  /// `DELETE /v1/moderation/cases/{number}/decisions/{decision_id}`: also 204 if the decision was undone before.
  @Sendable func undo(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, worker, id) = (try context.number, try context.serviceAccount, try context.uuid("decision_id"))
    let outcome = try await service.undo(
      id, of: number.digits, decidedBy: worker.name, role: worker.role, at: Date())
    guard outcome != .notFound else { throw Problem.notFound }
    return Response(status: .noContent)
  }
}

private struct DecisionBody: Decodable {
  let treatment: String
  let label: String?
  let category: String?
  let reason: String?
  let note: String?
  let expiresDays: Int?
  /// The decision in force that this one replaces; nil for a number without one.
  let replaces: UUID?
  /// Whether a number that `BlockRule` guards may be blocked.
  let confirm: Bool?
  /// Whether the decision is only proposed.
  let needsPerson: Bool?

  enum CodingKeys: String, CodingKey {
    case label, category, reason, note, replaces, confirm
    case treatment = "decision"
    case expiresDays = "expires_days"
    case needsPerson = "needs_person"
  }

  /// The fields that take some values alone.
  var choices: [String: String?] {
    ["decision": treatment, "category": category, "expires_days": expiresDays.map { "\($0)" }]
  }

  func decision(of number: Int64, id: UUID, by account: String, at time: Date) throws(RuleViolation) -> Decision {
    let texts = choices.merging(["label": label, "reason": reason, "note": note]) { first, _ in first }
    return try Decision(
      id: id, number: number, texts: texts.compactMapValues { $0 }, decidedBy: account, decidedAt: time)
  }
}
