public import Curation
public import Foundation
public import PostgreSQL

/// What moderators decided, and what of it stands.
public struct RulingStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where rulings are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Records a ruling, which stands from then on, settles the number's hold and takes it out of the queue. Safe to call
  /// again.
  ///
  /// Of two rulings about one number the later one stands, in whatever order they are recorded.
  /// - Parameters:
  ///   - expected: what the moderator saw to stand.
  ///   - role: what the moderator may do, for the trail; the command line acts as administrator.
  /// - Throws: ``RulingError/protected(rule:)`` for a protected number that is not to be allowed; `RulingProblem` for one
  ///   that no numbering plan has; ``RulingError/stale`` when something else stands than what was expected;
  ///   `PostgresError`.
  public func record(
    _ ruling: Ruling, expecting expected: ExpectedRuling = .any, role: Role = .administrator
  ) async throws -> RulingOutcome {
    if ruling.decision != .allow, let rule = try await ProtectionStore(pool: pool).rule(for: ruling.number) {
      throw RulingError.protected(rule: rule)
    }
    return try await pool.transaction { try await $0.record(ruling, expecting: expected, role: role) }
  }

  /// Takes a ruling back: the one before it that was not undone stands again, or none, and then the number's hold; what
  /// waits for a moderator after that is back in the queue a moment later.
  /// - Parameters:
  ///   - id: of the undoing; the same for every retry.
  ///   - moderator: who takes it back, 1 to 80 characters.
  ///   - role: what the moderator may do, for the trail.
  /// - Throws: `RulingProblem`; `PostgresError`.
  public func undo(
    _ rulingID: UUID, of number: Int64, id: UUID = UUID(), reason: String? = nil, moderator: String,
    role: Role = .administrator, at time: Date
  ) async throws -> UndoOutcome {
    let undoing = try Ruling(
      id: id, number: number, decision: .allow, reason: reason, moderator: moderator, ruledAt: time)
    return try await pool.transaction { try await $0.undo(rulingID, as: undoing, role: role) }
  }

  /// Everything that was ever ruled about a number, the oldest first.
  public func history(of number: Int64) async throws -> [RulingEvent] {
    try await pool.run(ReadRulings(number: number))
  }

  /// What stands for a number; nil where reports decide.
  public func standing(of number: Int64) async throws -> StandingRuling? {
    try await pool.run(ReadStandingRuling(number: number)).first
  }
}
