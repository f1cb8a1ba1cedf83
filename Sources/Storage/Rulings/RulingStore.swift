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

  /// Records a ruling, which stands from then on, and settles the number's hold. Safe to call again.
  ///
  /// Of two rulings about one number the later one stands, in whatever order they are recorded.
  /// - Parameter expected: what the moderator saw to stand.
  /// - Throws: ``RulingError/protected(rule:)`` for a protected number that is not to be allowed; ``RulingError/stale``
  ///   when something else stands than what was expected; `PostgresError`.
  public func record(_ ruling: Ruling, expecting expected: ExpectedRuling = .any) async throws -> RulingOutcome {
    if ruling.decision != .allow, let rule = try await ProtectionStore(pool: pool).rule(for: ruling.number) {
      throw RulingError.protected(rule: rule)
    }
    return try await pool.transaction { connection in
      let known = try await connection.run(ReadRulings(number: ruling.number)).first { $0.id == ruling.id }
      if known == nil, case .this(let id) = expected { try await connection.expect(id, before: ruling) }
      let isNew = try await connection.add(AddRuling(ruling))
      if isNew {
        _ = try await connection.run(SettleCase(number: ruling.number))
        return .recorded
      }
      return known?.says(ruling) == true ? .duplicate : .conflict
    }
  }

  /// Takes a ruling back: the one before it that was not undone stands again, or none, and then the number's hold.
  /// - Parameters:
  ///   - id: of the undoing; the same for every retry.
  ///   - moderator: who takes it back, 1 to 80 characters.
  /// - Throws: `RulingProblem`; `PostgresError`.
  public func undo(
    _ rulingID: UUID, of number: Int64, id: UUID = UUID(), reason: String? = nil, moderator: String, at time: Date
  ) async throws -> UndoOutcome {
    let undoing = try Ruling(
      id: id, number: number, decision: .allow, reason: reason, moderator: moderator, ruledAt: time)
    return try await pool.transaction { connection in
      // Before history is read: of two that undo at once the second one sees what the first did.
      _ = try await connection.run(LockStandingRuling(number: number))
      let history = try await connection.run(ReadRulings(number: number))
      guard history.contains(where: { $0.id == rulingID && $0.isRuling }) else { return .notFound }
      if let earlier = history.first(where: { $0.kind == .undo(rulingID) }) {
        // This very call, whose commit was not answered.
        return earlier.id == id ? .undone : .alreadyUndone
      }
      _ = try await connection.add(
        AddRuling(
          undoing: rulingID, of: number, id: id, reason: undoing.reason, moderator: undoing.moderator, time: time))
      // Judged a moment later; it leaves the queue again where it does not wait.
      _ = try await connection.run(EnqueueCases([(number, .threshold)], at: time))
      return .undone
    }
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

extension PostgresConnection {
  /// Makes sure that what stands is what was expected, and stays so until the transaction ends.
  fileprivate func expect(_ expected: UUID?, before ruling: Ruling) async throws {
    _ = try await run(LockStandingRuling(number: ruling.number))
    let standing = try await run(ReadStandingRuling(number: ruling.number)).first?.rulingID
    guard standing == expected else { throw RulingError.stale }
    // Where there was no row to lock: of two that put one there the second one finds it.
    if standing == nil, try await run(TakeStandingPlace(ruling: ruling)).isEmpty { throw RulingError.stale }
  }

  /// Adds to the history and puts into force what then stands.
  /// - Returns: whether it is new.
  func add(_ ruling: AddRuling) async throws -> Bool {
    let standing = try await run(LockStandingRuling(number: ruling.number))
    guard try await !run(ruling).isEmpty else { return false }
    _ = try await run(SettleRulings(number: ruling.number))
    // Where there was no row to lock, another's ruling may have been committed in between; now there is one.
    if standing.isEmpty { _ = try await run(SettleRulings(number: ruling.number)) }
    return true
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
