// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Ranges in which enough numbers have complaints, in ascending order. Numbers that only lists contain are left out.
struct FindRanges: PostgresStatement {
  let digits: Int16
  /// The least stored heat of a number with complaints.
  let memberHeat: Double
  /// The least stored heat of a range in total.
  let heat: Double

  static let sql = """
    SELECT number / $1::bigint * $1::bigint, count(*) FILTER (WHERE heat >= $2), sum(heat), max(heat),
           count(*) FILTER (WHERE legitimate > evidence)
    FROM numbers WHERE reporters > 0 GROUP BY number / $1::bigint
    HAVING count(*) FILTER (WHERE heat >= $2) >= $3::bigint AND sum(heat) >= $4
    ORDER BY 1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(Int64(digits == 1 ? 10 : 100))
    parameters.append(memberHeat)
    parameters.append(Int64(RangeDetection.leastMembers(digits: digits)))
    parameters.append(heat)
  }

  /// Decodes a range with its stored heat.
  static func decode(
    _ row: PostgresRow
  ) throws -> (first: Int64, members: Int, heat: Double, greatest: Double, defended: Int) {
    (
      try row.decode(0), Int(try row.decode(1, as: Int64.self)), try row.decode(2), try row.decode(3),
      Int(try row.decode(4, as: Int64.self))
    )
  }
}

/// The hottest toxic category of a range.
struct ReadRangeCategory: PostgresStatement {
  let range: NumberRange

  static let sql = """
    SELECT category_id FROM number_categories JOIN categories USING (category_id)
    WHERE number BETWEEN $1 AND $2 AND toxic AND heat > 0
    GROUP BY category_id ORDER BY sum(heat) DESC, category_id LIMIT 1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(range.numbers.lowerBound)
    parameters.append(range.numbers.upperBound)
  }

  static func decode(_ row: PostgresRow) throws -> ReportCategory { try row.category(0) }
}

/// Proposes a range, or updates a proposed or approved one; a rejected one is left as it is.
struct ProposeRange: PostgresStatement {
  let range: NumberRange
  let category: ReportCategory
  let members: Int
  let heat: Double
  let time: Date

  static let sql = """
    INSERT INTO ranges AS r (number, digits, state, category_id, members, heat, proposed_at)
    VALUES ($1, $2, 'proposed', $3, $4, $5, $6)
    ON CONFLICT (number, digits) DO UPDATE SET
      category_id = excluded.category_id, members = excluded.members, heat = excluded.heat
    WHERE r.state <> 'rejected'
    RETURNING r.proposed_at = $6
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(range.first)
    parameters.append(range.digits)
    parameters.append(category.rawValue)
    parameters.append(Int32(members))
    parameters.append(heat)
    parameters.append(time)
  }

  /// - Returns: whether the range is new.
  static func decode(_ row: PostgresRow) throws -> Bool { try row.decode(0) }
}

/// Approves or rejects a range; returns a row where it exists.
struct DecideRange: PostgresStatement {
  let range: NumberRange
  let state: ProposedRange.State
  let decidedBy: String
  let reason: String?
  let time: Date

  static let sql = """
    UPDATE ranges SET state = $3, decided_by = $4, reason = $5, decided_at = $6
    WHERE number = $1 AND digits = $2 RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(range.first)
    parameters.append(range.digits)
    parameters.append(state.rawValue)
    parameters.append(decidedBy)
    parameters.append(reason)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Ranges in ascending order, in one state or in any.
struct ReadRanges: PostgresStatement {
  var state: ProposedRange.State?

  static let sql = """
    SELECT number, digits, state, category_id, members, heat, proposed_at, decided_by, reason FROM ranges
    WHERE $1::text IS NULL OR state = $1 ORDER BY number, digits
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(state?.rawValue) }

  static func decode(_ row: PostgresRow) throws -> ProposedRange {
    let name: String = try row.decode(2)
    guard let state = ProposedRange.State(rawValue: name) else { throw StorageError.unknownState(name) }
    return ProposedRange(
      range: NumberRange(around: try row.decode(0), digits: try row.decode(1)), state: state,
      category: try row.category(3), members: Int(try row.decode(4, as: Int32.self)), heat: try row.decode(5),
      proposedAt: try row.decode(6), decidedBy: try row.decode(7), reason: try row.decode(8))
  }
}
