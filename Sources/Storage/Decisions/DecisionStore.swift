public import Curation
public import Foundation
public import PostgreSQL

/// What moderators decided, and what of it stands.
public struct DecisionStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where decisions are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Records a decision, which stands from then on, settles the number's hold and takes it out of the queue. Safe to call
  /// again.
  ///
  /// Of two decisions about one number the later one stands, in whatever order they are recorded.
  /// - Parameters:
  ///   - expected: what the moderator saw to stand.
  ///   - role: what the moderator may do, for the audit log; the command line acts as administrator.
  /// - Throws: ``DecisionError/protected(_:)`` for a protected number that is not to be allowed; `RuleViolation` for one
  ///   that no numbering plan has; ``DecisionError/stale`` when something else stands than what was expected;
  ///   `PostgresError`.
  public func record(
    _ decision: Decision, expecting expected: ExpectedDecision = .any, role: Role = .administrator
  ) async throws -> DecisionOutcome {
    if decision.treatment != .allow, let rule = try await ProtectionStore(pool: pool).rule(for: decision.number) {
      throw DecisionError.protected(rule)
    }
    return try await pool.transaction { try await $0.record(decision, expecting: expected, role: role) }
  }

  /// Takes a decision back: the one before it that was not undone stands again, or none, and then the number's hold; what
  /// waits for a moderator after that is back in the queue a moment later.
  /// - Parameters:
  ///   - id: of the undoing; the same for every retry.
  ///   - decidedBy: who takes it back, 1 to 80 characters.
  ///   - role: what the moderator may do, for the audit log.
  /// - Throws: `RuleViolation`; `PostgresError`.
  public func undo(
    _ decisionID: UUID, of number: Int64, id: UUID = UUID(), reason: String? = nil, decidedBy: String,
    role: Role = .administrator, at time: Date
  ) async throws -> UndoOutcome {
    let undoing = try Decision(
      id: id, number: number, treatment: .allow, reason: reason, decidedBy: decidedBy, decidedAt: time)
    return try await pool.transaction { try await $0.undo(decisionID, as: undoing, role: role) }
  }

  /// Everything that was ever decided about a number, the oldest first.
  public func history(of number: Int64) async throws -> [DecisionEvent] {
    try await pool.run(ReadDecisions(number: number))
  }

  /// What stands for a number; nil where reports decide.
  public func standing(of number: Int64) async throws -> StandingDecision? {
    try await pool.run(ReadStandingDecision(number: number)).first
  }
}
