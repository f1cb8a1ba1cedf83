// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Ranges of numbers that are used together: detection, proposals and their decisions.
public struct RangeStore: Sendable {
  let pool: PostgresPool

  /// The least decayed heat of a number that counts as a member of a range.
  public static let memberHeat = 0.25

  /// - Parameter pool: where numbers and ranges are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Searches all numbers and proposes the ranges that ``RangeDetection`` finds. Safe to call again.
  /// - Returns: the new ranges.
  public func detect(at time: Date) async throws -> [NumberRange] {
    let scale = Decay.heat.scale(at: time)
    var hundreds = Set<Int64>()
    var new: [NumberRange] = []
    for digits in [2, 1] as [Int16] {
      let statement = SQL.findRanges(
        digits: digits, memberHeat: Self.memberHeat * scale, heat: RangeDetection.leastHeat(digits: digits) * scale)
      let found = try await pool.run(statement)
      for item in found {
        let facts = RangeDetection.Facts(
          range: NumberRange(around: item.first, digits: digits), members: item.members, heat: item.heat / scale,
          greatest: item.greatest / scale, defended: item.defended)
        guard RangeDetection.proposes(facts), digits == 2 || !hundreds.contains(item.first / 100) else { continue }
        if digits == 2 { hundreds.insert(item.first / 100) }
        if try await propose(facts, heat: item.heat, at: time) { new.append(facts.range) }
      }
    }
    return new.sorted { ($0.first, $0.digits) < ($1.first, $1.digits) }
  }

  /// - Returns: whether the range is new.
  private func propose(_ facts: RangeDetection.Facts, heat: Double, at time: Date) async throws -> Bool {
    try await pool.transaction { connection in
      let category = try await connection.run(SQL.readRangeCategory(range: facts.range)).first ?? .other
      let statement = SQL.proposeRange(
        range: facts.range, category: category, members: facts.members, heat: heat, time: time)
      let isNew = try await connection.run(statement).first ?? false
      if isNew { _ = try await connection.run(SQL.enqueueCases([(facts.range.first, .range)], at: time)) }
      return isNew
    }
  }

  /// Approves or rejects a range; either can be changed later.
  /// - Parameters:
  ///   - isApproved: whether all its numbers are published.
  ///   - moderator: 1 to 80 characters.
  ///   - role: the moderator's role; nil records no audit event.
  /// - Returns: whether the range exists.
  public func decide(
    _ range: NumberRange, isApproved: Bool, by moderator: String, role: Role? = nil, reason: String?, at time: Date
  ) async throws -> Bool {
    // The reason follows the rules of a decision's reason.
    let decision = try Decision(
      number: range.first, treatment: .allow, reason: reason, decidedBy: moderator, decidedAt: time)
    let state = isApproved ? ProposedRange.State.approved : .rejected
    let event = role.map { role in
      AuditEvent(
        actor: decision.decidedBy, role: role, action: isApproved ? "range.approve" : "range.reject",
        subject: range.text, after: ["state": state.rawValue], reason: decision.reason)
    }
    return try await pool.transaction { connection in
      let decided = try await connection.run(
        SQL.decideRange(range: range, state: state, decidedBy: decision.decidedBy, reason: decision.reason, time: time))
      guard !decided.isEmpty else { return false }
      _ = try await connection.run(SQL.recheckCases([range.first]))
      if let event { _ = try await connection.run(SQL.appendAuditEvent(event, at: time)) }
      return true
    }
  }

  /// Ranges in ascending order.
  /// - Parameter state: nil for all.
  public func ranges(_ state: ProposedRange.State? = nil) async throws -> [ProposedRange] {
    try await pool.run(SQL.readRanges(state: state))
  }
}
