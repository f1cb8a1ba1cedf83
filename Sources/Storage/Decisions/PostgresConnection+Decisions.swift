import Curation
import Foundation
import PhoneNumbers
import PostgreSQL

/// Decisions within the caller's transaction.
extension PostgresConnection {
  /// Records a decision with its audit event; see `DecisionStore.record`.
  /// - Throws: `RuleViolation`; ``DecisionError/stale``; `PostgresError`.
  func record(_ decision: Decision, expecting expected: ExpectedDecision, role: Role) async throws -> DecisionOutcome {
    guard decision.treatment == .allow || PhoneNumber(digits: decision.number)?.isValid == true else {
      throw RuleViolation(.numberInvalid, field: "number")
    }
    // Locked before it is read: the decision in force cannot change until the transaction ends.
    let (history, _, standings) = try await pipeline(
      ReadDecisions(number: decision.number), LockStandingDecision(number: decision.number),
      ReadStandingDecision(number: decision.number))
    let standing = standings.first
    if let known = history.first(where: { $0.id == decision.id }) {
      return known.says(decision) ? .duplicate : .conflict
    }
    var dated = decision
    if case .this(let id) = expected {
      guard standing?.decisionID == id else { throw DecisionError.stale }
      // Where there was no row to lock: of two transactions that insert one, the second finds it.
      if standing == nil, try await run(TakeStandingPlace(decision: decision)).isEmpty { throw DecisionError.stale }
      dated.follow(standing)
    }
    guard try await add(AddDecision(dated)) else {
      // Another transaction has recorded it at the same moment.
      let known = try await run(ReadDecisions(number: decision.number)).first { $0.id == decision.id }
      return known?.says(decision) == true ? .duplicate : .conflict
    }
    let event = AuditEvent(
      actor: decision.decidedBy, role: role, action: "decision.\(decision.treatment.rawValue)",
      subject: "+\(decision.number)",
      before: standing?.fields, after: decision.fields, reason: decision.reason)
    _ = try await pipeline(SettleCase(number: decision.number), AppendAuditEvent(event, at: decision.decidedAt))
    return .recorded
  }

  /// Undoes a decision with its audit event; see `DecisionStore.undo`.
  /// - Parameter undoing: author, time and reason of the undoing; its treatment is ignored.
  func undo(_ decisionID: UUID, as undoing: Decision, role: Role) async throws -> UndoOutcome {
    let number = undoing.number
    // Before the history is read: of two simultaneous undoings the second sees the first.
    _ = try await run(LockStandingDecision(number: number))
    let history = try await run(ReadDecisions(number: number))
    guard history.contains(where: { $0.id == decisionID && $0.isDecision }) else { return .notFound }
    if let earlier = history.first(where: { $0.kind == .undo(decisionID) }) {
      // This call itself, whose commit was not acknowledged.
      return earlier.id == undoing.id ? .undone : .alreadyUndone
    }
    let before = try await run(ReadStandingDecision(number: number)).first
    _ = try await add(
      AddDecision(
        undoing: decisionID, of: number, id: undoing.id, reason: undoing.reason, decidedBy: undoing.decidedBy,
        time: undoing.decidedAt))
    // Evaluated in the next round; the number leaves the queue again where no cause holds.
    _ = try await run(EnqueueCases([(number, .threshold)], at: undoing.decidedAt))
    let after = try await run(ReadStandingDecision(number: number)).first
    let event = AuditEvent(
      actor: undoing.decidedBy, role: role, action: "decision.undo", subject: "+\(number)", before: before?.fields,
      after: after?.fields, reason: undoing.reason)
    _ = try await run(AppendAuditEvent(event, at: undoing.decidedAt))
    return .undone
  }

  /// The decision dated after the one in force, whatever the clock of its server says.
  func following(_ decision: Decision) async throws -> Decision {
    _ = try await run(LockStandingDecision(number: decision.number))
    var dated = decision
    dated.follow(try await run(ReadStandingDecision(number: decision.number)).first)
    return dated
  }

  /// Adds an event to the history and puts into force the decision that results.
  /// - Returns: whether the event is new.
  func add(_ decision: AddDecision) async throws -> Bool {
    let settle = SettleDecisions(number: decision.number)
    // Settled twice: where there was no row to lock, another decision may have been committed in between; now there is
    // a row.
    let (_, added, _, _) = try await pipeline(LockStandingDecision(number: decision.number), decision, settle, settle)
    return !added.isEmpty
  }
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
  }
}

extension Decision {
  /// Dates the decision a microsecond after the one in force where a fast clock has dated that one later.
  fileprivate mutating func follow(_ standing: StandingDecision?) {
    guard let standing, standing.decisionID != id else { return }
    decidedAt = max(decidedAt, standing.decidedAt.addingTimeInterval(0.000_001))
  }

  /// For the audit log.
  fileprivate var fields: [String: String] { auditedFields(treatment, label, category) }
}

extension StandingDecision {
  /// For the audit log.
  fileprivate var fields: [String: String] { auditedFields(treatment, label, category) }
}

private func auditedFields(_ treatment: Decision.Treatment, _ label: String?, _ category: ReportCategory?) -> [String:
  String]
{
  var fields = ["decision": treatment.rawValue]
  fields["label"] = label
  fields["category"] = category?.slug
  return fields
}
