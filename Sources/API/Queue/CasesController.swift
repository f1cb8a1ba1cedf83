// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Intake
import Moderation
import PhoneNumbers
import Storage
import Support

/// The cases of the review queue for service accounts.
struct CasesController: Sendable {
  let queue: QueueStore
  let cases: CaseStore
  let bodies: BodyReader
  let texts: Localizer

  private struct Listing: Encodable {
    let cases: [CaseAnswer]
    /// The cursor of the next page; nil on the last one.
    let next: String?
  }

  private struct Note: Decodable {
    let note: String
  }

  /// `GET /v1/moderation/cases`: the cases that the account may decide.
  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let worker = try context.serviceAccount
    let filter = QueueFilter(
      country: try request.parameter("country", "It must be two capital letters, or - for none.", Self.country),
      category: try request.parameter("category", VisibleText.choice(of: ReportCategory.allCases.map(\.slug))) {
        ReportCategory(slug: $0)
      },
      cause: try request.parameter("cause", VisibleText.choice(of: QueueCause.allCases.map(\.rawValue))) {
        QueueCause(rawValue: $0)
      },
      days: try request.parameter("days", "It must be 1, 3, 7 or 30.") { text in
        Int(text).flatMap { QueueFilter.ages.contains($0) ? $0 : nil }
      })
    let order = try request.parameter("sort", "It must be urgency, age, reports or heat.") { QueueOrder(rawValue: $0) }
    let cursor = try request.parameter("cursor", "It must be the value of next.", { QueuePlace($0) })
    let limit = try request.limit(upTo: 1_000)
    let rows = try await queue.page(
      filter, by: order ?? .urgency, after: cursor, level: worker.level, account: worker.name, limit: limit + 1,
      at: Date())
    let shown = rows.prefix(limit)
    let last = rows.count > limit ? shown.last.map { (order ?? .urgency).place(of: $0) } : nil
    return try JSON.uncachedResponse(
      Listing(
        cases: shown.map { CaseAnswer($0.item, $0, at: Date()) }, next: last?.text))
  }

  /// A country of a filter; empty for numbers without one.
  private static func country(_ text: String) -> String? {
    if text == "-" { return "" }
    return text.utf8.count == 2 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? text : nil
  }

  /// `GET /v1/moderation/cases/{number}`: everything that a moderator sees, even without a case. The case is
  /// not claimed.
  @Sendable func read(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, now) = (try context.number, Date())
    let file = try await cases.read(number.digits, at: now)
    return try JSON.uncachedResponse(CaseFileAnswer(file, texts))
  }

  /// `POST /v1/moderation/cases/{number}/notes`
  @Sendable func note(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, worker, id) = (try context.number, try context.serviceAccount, try request.idempotencyKey())
    try request.requireJSON()
    return try await bodies.read(request, .object, context: context) { data in
      let note = try JSON.decode(Note.self, from: data).note
      do {
        try await cases.note(note, about: number.digits, id: id, by: worker, at: Date())
      } catch {
        throw try Problem.refusal(error, texts)
      }
      return Response(status: .noContent)
    }
  }
}

struct CaseAnswer: Encodable {
  let number: String
  let causes: [String]
  let country: String?
  let category: String?
  let since: String
  let level: Int16
  let claimedBy: String?
  let claimedUntil: String?
  let assignedTo: String?
  private(set) var heat: Double?
  private(set) var reports: Int64?
  private(set) var lastReportedAt: String?

  /// - Parameter row: the figures of the list; nil for a single case.
  init(_ item: QueueCase, _ row: QueueRow? = nil, at time: Date) {
    number = "+\(item.number)"
    causes = item.causes.all.map(\.rawValue)
    (country, category, level, assignedTo) = (item.country, item.category?.slug, item.level, item.assignedTo)
    since = Timestamp.format(item.since)
    let claim = item.claim.flatMap { $0.until > time ? $0 : nil }
    (claimedBy, claimedUntil) = (claim?.account, claim.map { Timestamp.format($0.until) })
    heat = row.map { Decay.heat.value(ofStoredSum: $0.heat, at: time).readable }
    reports = row?.reports
    lastReportedAt = row?.lastReportedAt.map { Timestamp.format($0) }
  }
}

/// The JSON of all facts about a number.
private struct CaseFileAnswer: Encodable {
  let number: String
  let `case`: CaseAnswer?
  let explanation: LocalizedExplanation
  let decisionInForce: String?
  let decisions: [[String: String]]
  let proposals: [[String: String]]
  let directoryNames: [String]
  let blockNeedsConfirmation: Bool
  let comments: [Comment]
  let notes: [[String: String]]

  struct Comment: Encodable {
    let text: String
    let count: Int
    let category: String
  }

  init(_ file: CaseFile, _ texts: Localizer) {
    number = "+\(file.explanation.number)"
    `case` = file.item.map { CaseAnswer($0, at: Date()) }
    explanation = LocalizedExplanation(file.explanation, texts)
    decisionInForce = file.explanation.decision?.decisionID.uuidString.lowercased()
    decisions = file.decisions.map(\.fields)
    proposals = file.proposals.map(\.fields)
    directoryNames = file.names.map(\.name)
    blockNeedsConfirmation = !file.names.isEmpty || file.protectedNeighbour != nil
    comments = file.comments.prefix(CaseStore.comments).map {
      Comment(text: $0.text, count: Int($0.count), category: $0.category.slug)
    }
    notes = file.notes.map {
      ["account": $0.account, "note": $0.text, "written_at": Timestamp.format($0.writtenAt)]
    }
  }
}

extension DecisionEvent {
  /// The members of a decision or of its end in the API.
  fileprivate var fields: [String: String] {
    let undoes: String? = if case .undo(let undone) = kind { undone.uuidString.lowercased() } else { nil }
    let fields: [String: String?] = [
      "id": id.uuidString.lowercased(), "kind": name, "undoes": undoes, "label": label, "category": category?.slug,
      "reason": reason, "note": note, "account": decidedBy, "time": Timestamp.format(time),
      "expires_at": expiresAt.map { Timestamp.format($0) },
    ]
    return fields.compactMapValues { $0 }
  }
}

extension CaseProposal {
  /// The members of a decision that a program proposes in the API.
  fileprivate var fields: [String: String] {
    let fields: [String: String?] = [
      "account": account, "decision": values.treatment.rawValue, "label": values.label,
      "category": values.category?.slug, "reason": values.reason, "note": values.note,
      "expires_at": values.expiresAt.map { Timestamp.format($0) }, "proposed_at": Timestamp.format(proposedAt),
    ]
    return fields.compactMapValues { $0 }
  }
}
