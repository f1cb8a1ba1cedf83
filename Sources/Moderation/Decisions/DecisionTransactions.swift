// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import PostgreSQL
import Storage
import Timestamps

/// Decisions within the caller's transaction.
extension PostgresConnection {
  /// Records a decision with its audit event; see `DecisionService.record`.
  /// - Throws: `RuleViolation`; ``DecisionError/stale``; `PostgresError`.
  func record(
    _ decision: Decision, expecting expected: ExpectedDecision, role: Role,
    revoking action: Revocation.Action = .unlist, reviews: ReviewPolicy
  ) async throws -> DecisionOutcome {
    guard decision.treatment == .allow || PhoneNumber(digits: decision.number)?.isValid == true else {
      throw RuleViolation(.numberInvalid, field: "number")
    }
    // Locked before it is read: the decision in force cannot change until the transaction ends.
    // The lock of appeals comes first, as where an appeal is answered.
    let number = decision.number
    let (_, history, _, standings, items, rules) = try await pipeline(
      SQL.lockAppeals(number: number), SQL.readDecisions(number: number), SQL.lockStandingDecision(number: number),
      SQL.readStandingDecision(number: number), SQL.readCase(number: number), SQL.readAllowRule(number: number))
    let standing = standings.first
    if let known = history.first(where: { $0.id == decision.id }) {
      return known.says(decision) ? .duplicate : .conflict
    }
    try rules.first?.check(decision, role: role)
    var dated = decision
    // An answered appeal is not opened again by the clock.
    if rules.first?.isAppealed == true { dated.expiresAt = nil }
    if case .this(let id) = expected {
      guard standing?.decisionID == id else { throw DecisionError.stale }
      // Where there was no row to lock: of two transactions that insert one, the second finds it.
      if standing == nil, try await run(SQL.takeStandingPlace(decision: decision)).isEmpty { throw DecisionError.stale }
      dated.follow(standing)
    }
    guard try await add(SQL.addDecision(dated, ending: items.first), to: dated.number) else {
      // Another transaction has recorded it at the same moment.
      let known = try await run(SQL.readDecisions(number: decision.number)).first { $0.id == decision.id }
      return known?.says(decision) == true ? .duplicate : .conflict
    }
    let event = AuditEvent(
      actor: decision.decidedBy, role: role, action: "decision.\(decision.treatment.rawValue)",
      subject: "+\(decision.number)",
      before: standing?.fields, after: dated.fields, reason: decision.reason)
    _ = try await pipeline(SQL.settleCase(number: decision.number), SQL.appendAuditEvent(event, at: decision.decidedAt))
    if let rule = rules.first {
      try await openReview(of: dated, replacing: standing?.decisionID, rule, by: reviews)
    }
    if rules.first?.isAppealed == true { try await upholdAppeals(by: decision, role: role, revoking: action) }
    return .recorded
  }

  /// Upholds the open appeals about a number that a decision allows, with the decision's reason as the answer, and
  /// requests the number's revocation where it is listed.
  private func upholdAppeals(by decision: Decision, role: Role, revoking action: Revocation.Action) async throws {
    let number = decision.number
    let (appeals, listings) = try await pipeline(SQL.readAppealsOf(number: number), SQL.readListing(number: number))
    let open = appeals.filter { $0.state == .open }
    for appeal in open {
      let answered = try appeal.answered(
        .upheld, by: decision.decidedBy, at: decision.decidedAt, answer: decision.reason)
      _ = try await run(SQL.answerAppeal(appeal: answered, decision: decision.id))
    }
    if !listings.isEmpty, var revocation = Revocation(carryingOut: decision) {
      revocation.action = action
      _ = try await run(SQL.requestRevocation(revocation))
    }
    let event = AuditEvent(
      actor: decision.decidedBy, role: role, action: "appeal.uphold", subject: "+\(number)",
      before: ["listed": listings.first?.category.slug ?? "no", "open_appeals": "\(open.count)"],
      after: ["state": Appeal.State.upheld.rawValue], reason: decision.reason)
    _ = try await pipeline(
      SQL.schedulePurge(number: number, time: decision.decidedAt + AppealService.contactsKept),
      SQL.appendAuditEvent(event, at: decision.decidedAt))
  }

  /// Undoes a decision with its audit event; see `DecisionService.undo`.
  /// - Parameter undoing: author, time and reason of the undoing; its treatment is ignored.
  func undo(_ decisionID: UUID, as undoing: Decision, role: Role) async throws -> UndoOutcome {
    let number = undoing.number
    // Before the history is read: of two simultaneous undoings the second sees the first.
    let (_, _, history, cases) = try await pipeline(
      SQL.lockAppeals(number: number), SQL.lockStandingDecision(number: number), SQL.readDecisions(number: number),
      SQL.readDecidedCase(number: number, id: decisionID))
    guard history.contains(where: { $0.id == decisionID && $0.isDecision }) else { return .notFound }
    if let earlier = history.first(where: { $0.kind == .undo(decisionID) }) {
      // This call itself, whose commit was not acknowledged.
      return earlier.id == undoing.id ? .undone : .alreadyUndone
    }
    let before = try await run(SQL.readStandingDecision(number: number)).first
    let ending = DecisionEnding(
      number: number, id: undoing.id, reason: undoing.reason, decidedBy: undoing.decidedBy, time: undoing.decidedAt)
    _ = try await end(
      decisionID, by: ending, restoring: cases.first, from: before, role: role.rawValue, action: "decision.undo")
    return .undone
  }

  /// Ends the decision in force where it has expired, with its audit event; see `DecisionService.expire`.
  /// - Returns: false where another server has ended it, or another decision is in force.
  func expire(_ decisionID: UUID, of number: Int64, at time: Date) async throws -> Bool {
    let (_, _, history, standings, cases) = try await pipeline(
      SQL.lockAppeals(number: number), SQL.lockStandingDecision(number: number), SQL.readDecisions(number: number),
      SQL.readStandingDecision(number: number), SQL.readDecidedCase(number: number, id: decisionID))
    guard let before = standings.first, before.decisionID == decisionID,
      let expiry = history.first(where: { $0.id == decisionID })?.expiresAt, expiry <= time
    else { return false }
    let ending = DecisionEnding(
      number: number, id: UUID(naming: "expiry of \(decisionID.uuidString.lowercased())"), reason: nil,
      decidedBy: "ringfence", time: time, expiry: expiry)
    // The wait starts anew.
    var item = cases.first
    item?.since = time
    return try await end(
      decisionID, by: ending, restoring: item, from: before, role: "system", action: "decision.expire")
  }

  /// Ends a decision with its audit event. The appeals that it upheld are open again, and so is the case that it ended;
  /// without such a case the number is queued. It leaves the queue again where no cause holds.
  /// - Parameters:
  ///   - ending: the event that ends the decision.
  ///   - item: the case that the decision ended.
  ///   - before: the decision in force before the end.
  ///   - role: the role of the event's author, for the audit log.
  /// - Returns: false where the event was stored already; nothing else changes.
  private func end(
    _ decisionID: UUID, by ending: DecisionEnding, restoring item: DecidedCase?, from before: StandingDecision?,
    role: String, action: String
  ) async throws -> Bool {
    let number = ending.number
    let undoing = SQL.addUndoing(
      number: number, id: ending.id, undone: decisionID, reason: ending.reason, by: ending.decidedBy, at: ending.time,
      expiry: ending.expiry)
    guard try await add(undoing, to: number) else { return false }
    _ = try await run(SQL.reopenAppeals(number: number, decision: decisionID))
    if let item {
      _ = try await run(SQL.restoreCase(number: number, item: item))
    } else {
      _ = try await run(SQL.enqueueCases([(number, .threshold)], at: ending.time))
    }
    let after = try await run(SQL.readStandingDecision(number: number)).first
    let event = AuditEvent(
      actor: ending.decidedBy, role: role, action: action, subject: "+\(number)", before: before?.fields,
      after: after?.fields, reason: ending.reason)
    _ = try await run(SQL.appendAuditEvent(event, at: ending.time))
    return true
  }

  /// The decision dated after the one in force, whatever the clock of its server says.
  func following(_ decision: Decision) async throws -> Decision {
    _ = try await run(SQL.lockStandingDecision(number: decision.number))
    var dated = decision
    dated.follow(try await run(SQL.readStandingDecision(number: decision.number)).first)
    return dated
  }

  /// Adds an event to the history and puts into force the decision that results.
  /// - Returns: whether the event is new.
  func add(_ decision: Statement<Int64>, to number: Int64) async throws -> Bool {
    let settle = SQL.settleDecisions(number: number)
    // Settled twice: where there was no row to lock, another decision may have been committed in between; now there is
    // a row.
    let (_, added, _, _) = try await pipeline(
      SQL.lockStandingDecision(number: number), decision, settle, settle)
    return !added.isEmpty
  }
}

/// The event that ends a decision: a person undoes it, or it expires.
private struct DecisionEnding {
  let number: Int64
  let id: UUID
  let reason: String?
  let decidedBy: String
  let time: Date
  /// Nil for an undoing by a person.
  var expiry: Date?
}

extension DecisionEvent {
  fileprivate var isDecision: Bool {
    if case .decision = kind { true } else { false }
  }

  /// Whether the event records this decision; the time is not compared, since a retry may have another.
  fileprivate func says(_ decision: Decision) -> Bool {
    kind == .decision(decision.treatment) && label == decision.label && category == decision.category
      && reason == decision.reason
      && note == decision.note && decidedBy == decision.decidedBy
      // An answered appeal is stored without an expiry.
      && (decision.treatment == .allow && expiresAt == nil
        || Decision.lifetime(from: time, to: expiresAt)
          == Decision.lifetime(from: decision.decidedAt, to: decision.expiresAt))
  }
}

extension AllowRule {
  /// - Throws: `RuleViolation` where the decision is not permitted.
  fileprivate func check(_ decision: Decision, role: Role) throws(RuleViolation) {
    if decision.treatment == .allow {
      try check(reason: decision.reason, role: role)
    } else if isAppealed {
      throw RuleViolation(.appealOpen, field: "appeal")
    }
  }
}

extension Decision {
  /// Dates the decision a microsecond after the one in force where a fast clock has dated that one later.
  fileprivate mutating func follow(_ standing: StandingDecision?) {
    guard let standing, standing.decisionID != id else { return }
    decidedAt = max(decidedAt, standing.decidedAt.addingTimeInterval(0.000_001))
  }

  /// For the audit log.
  fileprivate var fields: [String: String] { auditedFields(treatment, label, category, expiresAt) }
}

extension StandingDecision {
  /// For the audit log.
  fileprivate var fields: [String: String] { auditedFields(treatment, label, category, expiresAt) }
}

private func auditedFields(
  _ treatment: Decision.Treatment, _ label: String?, _ category: ReportCategory?, _ expiresAt: Date?
) -> [String: String] {
  var fields = ["decision": treatment.rawValue]
  fields["label"] = label
  // A block without a category has the one that the reports give.
  fields["category"] = category?.slug ?? (treatment == .block ? "as_reported" : nil)
  fields["expires_at"] = expiresAt.map { Timestamp.format($0) }
  return fields
}
