import Curation
import Foundation
import PhoneNumbers
import PostgreSQL

/// Rulings within a transaction of the caller's.
extension PostgresConnection {
  /// Records a ruling with its line in the trail; see `RulingStore.record`.
  /// - Throws: `RulingProblem`; ``RulingError/stale``; `PostgresError`.
  func record(_ ruling: Ruling, expecting expected: ExpectedRuling, role: Role) async throws -> RulingOutcome {
    guard ruling.decision == .allow || PhoneNumber(digits: ruling.number)?.isValid == true else {
      throw RulingProblem(field: "number", rule: "is one that a numbering plan has; others can only be allowed")
    }
    // Locked before it is read: what stands stays so until the transaction ends.
    let (history, _, standings) = try await pipeline(
      ReadRulings(number: ruling.number), LockStandingRuling(number: ruling.number),
      ReadStandingRuling(number: ruling.number))
    let standing = standings.first
    if let known = history.first(where: { $0.id == ruling.id }) { return known.says(ruling) ? .duplicate : .conflict }
    var dated = ruling
    if case .this(let id) = expected {
      guard standing?.rulingID == id else { throw RulingError.stale }
      // Where there was no row to lock: of two that put one there the second one finds it.
      if standing == nil, try await run(TakeStandingPlace(ruling: ruling)).isEmpty { throw RulingError.stale }
      dated.follow(standing)
    }
    guard try await add(AddRuling(dated)) else {
      // Somebody has recorded it in this very moment.
      let known = try await run(ReadRulings(number: ruling.number)).first { $0.id == ruling.id }
      return known?.says(ruling) == true ? .duplicate : .conflict
    }
    let event = AuditEvent(
      actor: ruling.moderator, role: role, action: "ruling.\(ruling.decision.rawValue)", subject: "+\(ruling.number)",
      before: standing?.fields, after: ruling.fields, reason: ruling.reason)
    _ = try await pipeline(SettleCase(number: ruling.number), AppendAudit(event, at: ruling.ruledAt))
    return .recorded
  }

  /// Takes a ruling back with its line in the trail; see `RulingStore.undo`.
  /// - Parameter undoing: who does so, when and why; its decision is of no account.
  func undo(_ rulingID: UUID, as undoing: Ruling, role: Role) async throws -> UndoOutcome {
    let number = undoing.number
    // Before history is read: of two that undo at once the second one sees what the first did.
    _ = try await run(LockStandingRuling(number: number))
    let history = try await run(ReadRulings(number: number))
    guard history.contains(where: { $0.id == rulingID && $0.isRuling }) else { return .notFound }
    if let earlier = history.first(where: { $0.kind == .undo(rulingID) }) {
      // This very call, whose commit was not answered.
      return earlier.id == undoing.id ? .undone : .alreadyUndone
    }
    let before = try await run(ReadStandingRuling(number: number)).first
    _ = try await add(
      AddRuling(
        undoing: rulingID, of: number, id: undoing.id, reason: undoing.reason, moderator: undoing.moderator,
        time: undoing.ruledAt))
    // Judged a moment later; it leaves the queue again where it does not wait.
    _ = try await run(EnqueueCases([(number, .threshold)], at: undoing.ruledAt))
    let after = try await run(ReadStandingRuling(number: number)).first
    let event = AuditEvent(
      actor: undoing.moderator, role: role, action: "ruling.undo", subject: "+\(number)", before: before?.fields,
      after: after?.fields, reason: undoing.reason)
    _ = try await run(AppendAudit(event, at: undoing.ruledAt))
    return .undone
  }

  /// The ruling as the one that is to stand: whoever made it decided over what stands, whatever their server's clock says.
  func following(_ ruling: Ruling) async throws -> Ruling {
    _ = try await run(LockStandingRuling(number: ruling.number))
    var dated = ruling
    dated.follow(try await run(ReadStandingRuling(number: ruling.number)).first)
    return dated
  }

  /// Adds to the history and puts into force what then stands.
  /// - Returns: whether it is new.
  func add(_ ruling: AddRuling) async throws -> Bool {
    let settle = SettleRulings(number: ruling.number)
    // Settled twice: where there was no row to lock, another's ruling may have been committed in between; now there is one.
    let (_, added, _, _) = try await pipeline(LockStandingRuling(number: ruling.number), ruling, settle, settle)
    return !added.isEmpty
  }
}

extension RulingEvent {
  fileprivate var isRuling: Bool {
    if case .ruling = kind { true } else { false }
  }

  /// Whether it is this ruling; the time is not compared, since a retry may have another.
  fileprivate func says(_ ruling: Ruling) -> Bool {
    kind == .ruling(ruling.decision) && label == ruling.label && category == ruling.category && reason == ruling.reason
      && note == ruling.note && moderator == ruling.moderator
  }
}

extension Ruling {
  /// Dates it a microsecond after what stands where a clock that is ahead has dated that one later.
  fileprivate mutating func follow(_ standing: StandingRuling?) {
    guard let standing, standing.rulingID != id else { return }
    ruledAt = max(ruledAt, standing.ruledAt.addingTimeInterval(0.000_001))
  }

  /// For the trail.
  fileprivate var fields: [String: String] { trail(decision, label, category) }
}

extension StandingRuling {
  /// For the trail.
  fileprivate var fields: [String: String] { trail(decision, label, category) }
}

private func trail(_ decision: Ruling.Decision, _ label: String?, _ category: ReportCategory?) -> [String: String] {
  var fields = ["decision": decision.rawValue]
  fields["label"] = label
  fields["category"] = category?.slug
  return fields
}
