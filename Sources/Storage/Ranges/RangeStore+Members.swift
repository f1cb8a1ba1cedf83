// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

/// All numbers of a range with their reports, listings, decisions and holds.
struct ReadRangeMembers: PostgresStatement {
  let range: NumberRange

  static let sql = """
    SELECT t.number, coalesce(n.reports, 0), coalesce(n.heat, 0), l.number IS NOT NULL, r.decision,
           EXISTS (SELECT 1 FROM holds h WHERE h.number = t.number AND NOT h.settled)
    FROM generate_series($1::bigint, $2::bigint) AS t (number)
    LEFT JOIN numbers n ON n.number = t.number
    LEFT JOIN listings l ON l.number = t.number
    LEFT JOIN number_decisions r ON r.number = t.number
    ORDER BY t.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(range.numbers.lowerBound)
    parameters.append(range.numbers.upperBound)
  }

  /// Decodes a member with its stored heat and without protection.
  static func decode(_ row: PostgresRow) throws -> RangeMember {
    let decision: String? = try row.decode(4)
    return RangeMember(
      number: try row.decode(0), reports: try row.decode(1), heat: try row.decode(2), isListed: try row.decode(3),
      decision: decision.flatMap(Decision.Treatment.init), isHeld: try row.decode(5), protection: nil)
  }
}

extension RangeStore {
  /// Every number of a range, ascending, with whether approving the range would publish it.
  public func members(of range: NumberRange, at time: Date) async throws -> [RangeMember] {
    try await pool.withConnection { connection in
      var members = try await connection.run(ReadRangeMembers(range: range))
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
