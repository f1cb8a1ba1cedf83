// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Ranges of numbers that are used together: detection, proposals and their decisions.
public struct RangeStore: Sendable {
  let pool: PostgresPool

  /// The least decayed heat of a number that counts as a member of a range.
  static let memberHeat = 0.25

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
        digits: digits, memberHeat: Self.memberHeat * scale, heat: RangeDetection.minHeat(digits: digits) * scale)
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

extension SQL {
  /// The numbers of a range that have reports, a listing, a decision or a hold.
  static func readRangeMembers(range: NumberRange) -> Statement<RangeMember> {
    Statement(
      """
      SELECT number, coalesce(max(reports), 0), coalesce(max(heat), 0), bool_or(is_listed), max(decision),
             bool_or(is_held)
      FROM (
        SELECT number, reports, heat, false AS is_listed, NULL::text AS decision, false AS is_held FROM numbers
        WHERE number BETWEEN $1 AND $2
        UNION ALL
        SELECT number, NULL, NULL, true, NULL, false FROM listings WHERE number BETWEEN $1 AND $2
        UNION ALL
        SELECT number, NULL, NULL, false, decision, false FROM number_decisions WHERE number BETWEEN $1 AND $2
        UNION ALL
        SELECT number, NULL, NULL, false, NULL, true FROM holds WHERE number BETWEEN $1 AND $2 AND NOT settled
      ) known GROUP BY number
      """,
      range.numbers.lowerBound, range.numbers.upperBound
    ) { row in
      /// Decodes a member with its stored heat and without protection.
      let decision: String? = try row.decode(4)
      return RangeMember(
        number: try row.decode(0), reports: try row.decode(1), heat: try row.decode(2), isListed: try row.decode(3),
        decision: decision.flatMap(Decision.Treatment.init), isHeld: try row.decode(5), protection: nil)
    }
  }
}

extension RangeStore {
  /// Every number of a range, ascending, with whether approving the range would publish it.
  public func members(of range: NumberRange, at time: Date) async throws -> [RangeMember] {
    try await pool.withConnection { connection in
      let known = Dictionary(try await connection.run(SQL.readRangeMembers(range: range)).map { ($0.number, $0) }) {
        $1
      }
      var members = range.numbers.map { number in
        known[number] ?? RangeMember(number: number, reports: 0, heat: 0, isListed: false, isHeld: false)
      }
      for index in members.indices {
        members[index].heat = Decay.heat.value(ofStoredSum: members[index].heat, at: time)
        members[index].protection = try await ProtectionStore.rule(for: members[index].number, on: connection)
      }
      return members
    }
  }

  /// One range; nil where it was never proposed.
  public func range(_ range: NumberRange) async throws -> ProposedRange? {
    try await ranges().first { $0.range == range }
  }
}
