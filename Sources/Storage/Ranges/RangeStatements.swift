// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

extension SQL {
  /// Ranges in which enough numbers have complaints, in ascending order. Numbers that only lists contain are left out.
  /// - Parameter memberHeat: The least stored heat of a number with complaints.
  /// - Parameter heat: The least stored heat of a range in total.
  static func findRanges(
    digits: Int16, memberHeat: Double, heat: Double
  ) -> Statement<(first: Int64, members: Int, heat: Double, greatest: Double, defended: Int)> {
    Statement(
      """
      SELECT number / $1::bigint * $1::bigint, count(*) FILTER (WHERE heat >= $2), sum(heat), max(heat),
             count(*) FILTER (WHERE legitimate > evidence)
      FROM numbers WHERE reporters > 0 GROUP BY number / $1::bigint
      HAVING count(*) FILTER (WHERE heat >= $2) >= $3::bigint AND sum(heat) >= $4
      ORDER BY 1
      """,
      Int64(digits == 1 ? 10 : 100), memberHeat, Int64(RangeDetection.minMembers(digits: digits)), heat
    ) { row in
      /// Decodes a range with its stored heat.
      (
        try row.decode(0), Int(try row.decode(1, as: Int64.self)), try row.decode(2), try row.decode(3),
        Int(try row.decode(4, as: Int64.self))
      )
    }
  }

  /// The hottest toxic category of a range.
  static func readRangeCategory(range: NumberRange) -> Statement<ReportCategory> {
    Statement(
      """
      SELECT category_id FROM number_categories JOIN categories USING (category_id)
      WHERE number BETWEEN $1 AND $2 AND toxic AND heat > 0
      GROUP BY category_id ORDER BY sum(heat) DESC, category_id LIMIT 1
      """,
      range.numbers.lowerBound, range.numbers.upperBound
    ) { try $0.category(0) }
  }

  /// Proposes a range, or updates a proposed or approved one; a rejected one is left as it is.
  static func proposeRange(
    range: NumberRange, category: ReportCategory, members: Int, heat: Double, time: Date
  ) -> Statement<Bool> {
    Statement(
      """
      INSERT INTO ranges AS r (number, digits, state, category_id, members, heat, proposed_at)
      VALUES ($1, $2, 'proposed', $3, $4, $5, $6)
      ON CONFLICT (number, digits) DO UPDATE SET
        category_id = excluded.category_id, members = excluded.members, heat = excluded.heat
      WHERE r.state <> 'rejected'
      RETURNING r.proposed_at = $6
      """,
      range.first, range.digits, category.rawValue, Int32(members), heat, time
    ) { row in
      /// - Returns: whether the range is new.
      try row.decode(0)
    }
  }

  /// Approves or rejects a range; returns a row where it exists.
  static func decideRange(
    range: NumberRange, state: ProposedRange.State, decidedBy: String, reason: String?, time: Date
  ) -> Statement<Int64> {
    Statement(
      """
      UPDATE ranges SET state = $3, decided_by = $4, reason = $5, decided_at = $6
      WHERE number = $1 AND digits = $2 RETURNING number
      """,
      range.first, range.digits, state.rawValue, decidedBy, reason, time
    ) { try $0.decode(0) }
  }

  /// Ranges in ascending order, in one state or in any.
  static func readRanges(state: ProposedRange.State? = nil) -> Statement<ProposedRange> {
    Statement(
      """
      SELECT number, digits, state, category_id, members, heat, proposed_at, decided_by, reason FROM ranges
      WHERE $1::text IS NULL OR state = $1 ORDER BY number, digits
      """,
      state?.rawValue, decode: decodeProposedRange)
  }

  static func decodeProposedRange(_ row: PostgresRow) throws -> ProposedRange {
    let name: String = try row.decode(2)
    guard let state = ProposedRange.State(rawValue: name) else { throw StorageError.unknownState(name) }
    return ProposedRange(
      range: NumberRange(around: try row.decode(0), digits: try row.decode(1)), state: state,
      category: try row.category(3), members: Int(try row.decode(4, as: Int32.self)), heat: try row.decode(5),
      proposedAt: try row.decode(6), decidedBy: try row.decode(7), reason: try row.decode(8))
  }
}

/// A number of a range, with the data that decides whether approving the range publishes it.
public struct RangeMember: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Reports that are not withdrawn; 0 for a number without reports.
  public var reports: Int64
  /// Decayed heat.
  public var heat: Double
  /// Whether the newest publication lists it.
  public var isListed: Bool
  /// The decision in force; a decided number is not published by its range.
  public var decision: Decision.Treatment?
  /// Whether it is held.
  public var isHeld: Bool
  /// The reason of its protection; nil where it is not protected.
  public var protection: ProtectionReason?

  /// Whether approving its range puts it into the next publication.
  public var isPublishedByRange: Bool { decision == nil && !isHeld && protection == nil }
}

/// A range of numbers that were used together, with its review.
public struct ProposedRange: Sendable, Equatable {
  /// The state of the review.
  public enum State: String, Sendable, CaseIterable {
    /// Waiting for a moderator.
    case proposed
    /// Published with all its numbers.
    case approved
    /// Not published as a range, and not proposed again.
    case rejected
  }

  /// The numbers.
  public let range: NumberRange
  /// The state of the review.
  public let state: State
  /// The category of its calls.
  public let category: ReportCategory
  /// Numbers with complaints at the last detection.
  public let members: Int
  /// Sum of the stored heat of its numbers; read it through `Decay`.
  public let heat: Double
  /// When it was first proposed.
  public let proposedAt: Date
  /// The account that decided; nil while it is proposed.
  public let decidedBy: String?
  /// The reason.
  public let reason: String?
}
