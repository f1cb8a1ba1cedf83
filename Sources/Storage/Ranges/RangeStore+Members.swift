// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

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
