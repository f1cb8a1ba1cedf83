// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
import PhoneNumbers
package import PostgreSQL

extension RangePlan {
  /// The current numbering plans.
  public static let current = RangePlan(
    callingCode: NumberingPlan.callingCode, lengths: NumberingPlan.lengths, shortNumber: NumberingPlan.shortNumber)
}

extension RangePattern {
  /// Numbers of one length of a numbering plan, from a first to a last one; nil where a rule cannot have them.
  public init?(_ first: Int64, _ last: Int64) {
    let blocks = first <= last ? (first...last).decimalBlocks : []
    let text =
      blocks.count == 1
      ? "+\(blocks[0].prefix)" + String(repeating: "x", count: blocks[0].wildcards) : "+\(first)-+\(last)"
    guard let range = try? RangePattern(text, plan: .current) else { return nil }
    self = range
  }
}

extension SQL {
  /// Ranges in which enough numbers have complaints, in ascending order. Numbers that only lists contain are left out.
  /// - Parameter memberHeat: The least stored heat of a number with complaints.
  /// - Parameter heat: The least stored heat of a range in total.
  static func findRanges(
    size: Int64, memberHeat: Double, heat: Double
  ) -> Statement<(first: Int64, members: Int, heat: Double, greatest: Double, defended: Int)> {
    Statement(
      """
      SELECT number / $1::bigint * $1::bigint, count(*) FILTER (WHERE heat >= $2), sum(heat), max(heat),
             count(*) FILTER (WHERE legitimate > evidence)
      FROM numbers WHERE reporters > 0 GROUP BY number / $1::bigint
      HAVING count(*) FILTER (WHERE heat >= $2) >= $3::bigint AND sum(heat) >= $4
      ORDER BY 1
      """,
      size, memberHeat, Int64(RangeDetection.minMembers(size: size)), heat
    ) { row in
      /// Decodes a range with its stored heat.
      (
        try row.decode(0), Int(try row.decode(1, as: Int64.self)), try row.decode(2), try row.decode(3),
        Int(try row.decode(4, as: Int64.self))
      )
    }
  }

  /// The toxic category with the most heat of a range.
  static func readRangeCategory(first: Int64, last: Int64) -> Statement<ReportCategory> {
    Statement(
      """
      SELECT category_id FROM number_categories JOIN categories USING (category_id)
      WHERE number BETWEEN $1 AND $2 AND toxic AND heat > 0
      GROUP BY category_id ORDER BY sum(heat) DESC, category_id LIMIT 1
      """,
      first, last
    ) { try $0.category(0) }
  }

  /// Proposes a detected range, or updates one; a rejected one is left as it is, and so is a rule that somebody added.
  static func proposeRange(_ rule: RangeRule) -> Statement<Bool> {
    Statement(
      """
      INSERT INTO ranges AS r (number, pattern, app_id, prefix, firsts, lasts, state, treatment, category_id, members, heat,
                               proposed_at)
      VALUES ($1, $2, 0, $3, $4, $5, 'proposed', 'block', $6, $7, $8, $9)
      ON CONFLICT (number, pattern, app_id) DO UPDATE SET
        category_id = excluded.category_id, members = excluded.members, heat = excluded.heat
      WHERE r.state <> 'rejected' AND r.proposed_by IS NULL
      RETURNING r.proposed_at = $9
      """,
      rule.range.first, rule.range.text, rule.range.prefix, rule.range.blocks.map(\.lowerBound),
      rule.range.blocks.map(\.upperBound), rule.category.rawValue, Int32(rule.members), rule.heat, rule.proposedAt
    ) { row in
      /// - Returns: whether the range is new.
      try row.decode(0)
    }
  }

  /// Stores rules; one of the same range and source is replaced.
  static func saveRanges(_ rules: [RangeRule]) -> Statement<Void> {
    func texts(_ text: KeyPath<RangeRule, String?>) -> [String] { rules.map { $0[keyPath: text] ?? "" } }
    func seconds(_ time: KeyPath<RangeRule, Date?>) -> [Double] {
      rules.map { $0[keyPath: time]?.timeIntervalSince1970 ?? 0 }
    }
    func bounds(_ bound: KeyPath<ClosedRange<Int64>, Int64>) -> [String] {
      rules.map { $0.range.blocks.map { String($0[keyPath: bound]) }.joined(separator: ",") }
    }
    return Statement(
      """
      INSERT INTO ranges (number, pattern, app_id, prefix, firsts, lasts, state, treatment, category_id, label, reason,
                          members, heat, valid_from, valid_until, proposed_by, proposed_at, decided_by, decided_at)
      SELECT t.number, t.pattern, t.app_id, t.prefix, string_to_array(t.firsts, ',')::bigint[],
             string_to_array(t.lasts, ',')::bigint[], t.state, t.treatment, t.category_id, nullif(t.label, ''),
             nullif(t.reason, ''), t.members, t.heat, to_timestamp(nullif(t.valid_from, 0)),
             to_timestamp(nullif(t.valid_until, 0)), nullif(t.proposed_by, ''), to_timestamp(t.proposed_at),
             nullif(t.decided_by, ''), to_timestamp(nullif(t.decided_at, 0))
      FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
                  $9::smallint[], $10::text[], $11::text[], $12::integer[], $13::double precision[],
                  $14::double precision[], $15::double precision[], $16::text[], $17::double precision[], $18::text[],
                  $19::double precision[])
        AS t (number, pattern, app_id, prefix, firsts, lasts, state, treatment, category_id, label, reason, members, heat,
              valid_from, valid_until, proposed_by, proposed_at, decided_by, decided_at)
      ORDER BY t.number, t.pattern, t.app_id
      ON CONFLICT (number, pattern, app_id) DO UPDATE SET
        prefix = excluded.prefix, firsts = excluded.firsts, lasts = excluded.lasts, state = excluded.state,
        treatment = excluded.treatment, category_id = excluded.category_id, label = excluded.label,
        reason = excluded.reason, valid_from = excluded.valid_from, valid_until = excluded.valid_until,
        proposed_by = excluded.proposed_by, proposed_at = excluded.proposed_at, decided_by = excluded.decided_by,
        decided_at = excluded.decided_at
      """,
      rules.map(\.range.first), rules.map(\.range.text), rules.map(\.appID), rules.map(\.range.prefix),
      bounds(\.lowerBound), bounds(\.upperBound), rules.map(\.state.rawValue), rules.map(\.treatment.rawValue),
      rules.map(\.category.rawValue), texts(\.label), texts(\.reason), rules.map { Int32($0.members) },
      rules.map(\.heat), seconds(\.validFrom), seconds(\.validUntil), texts(\.proposedBy),
      rules.map(\.proposedAt.timeIntervalSince1970), texts(\.decidedBy), seconds(\.decidedAt))
  }

  /// Decides about rules whose review is as it was read; returns their numbers.
  static func decideRanges(
    _ rules: [RangeRule], as state: RangeRule.State, because reason: String?, by account: String, at time: Date
  ) -> Statement<Int64> {
    Statement(
      """
      UPDATE ranges r SET state = $6, reason = coalesce($7, r.reason), decided_by = $8, decided_at = $9
      FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::text[], $5::double precision[], $10::double precision[])
        AS t (number, pattern, app_id, state, decided_at, proposed_at)
      WHERE r.number = t.number AND r.pattern = t.pattern AND r.app_id = t.app_id AND r.state = t.state
        AND r.decided_at IS NOT DISTINCT FROM to_timestamp(nullif(t.decided_at, 0))
        AND r.proposed_at = to_timestamp(t.proposed_at)
      RETURNING r.number
      """,
      rules.map(\.range.first), rules.map(\.range.text), rules.map(\.appID), rules.map(\.state.rawValue),
      rules.map { $0.decidedAt?.timeIntervalSince1970 ?? 0 }, state.rawValue, reason, account, time,
      rules.map(\.proposedAt.timeIntervalSince1970))
  }

  static func countRanges() -> Statement<Int64> { Statement("SELECT count(*) FROM ranges") }

  /// Deletes rules of one source, or of none. The pattern of a rule determines its first number.
  static func deleteRanges(numbers: [Int64], patterns: [String], appID: Int32) -> Statement<String> {
    Statement(
      """
      DELETE FROM ranges WHERE number = ANY($1::bigint[]) AND pattern = ANY($2::text[]) AND app_id = $3 RETURNING pattern
      """,
      numbers, patterns, appID)
  }

  private static let rangeColumns = """
    SELECT pattern, app_id, firsts, lasts, state, treatment, category_id, label, reason, members, heat, valid_from,
           valid_until, proposed_by, proposed_at, decided_by, decided_at FROM ranges
    """

  /// Rules in ascending order of their first numbers.
  /// - Parameter appID: the source.
  static func readRanges(state: RangeRule.State? = nil, appID: Int32? = nil) -> Statement<RangeRule> {
    Statement(
      """
      \(rangeColumns) WHERE ($1::text IS NULL OR state = $1) AND ($2::integer IS NULL OR app_id = $2)
      ORDER BY number, pattern, app_id
      """,
      state?.rawValue, appID, decode: decodeRange)
  }

  /// Rules that contain a number, those with the fewest numbers first.
  package static func readRangesOfNumber(number: Int64) -> Statement<RangeRule> {
    Statement(
      """
      \(rangeColumns) WHERE prefix = ANY($1::bigint[])
        AND EXISTS (SELECT 1 FROM unnest(firsts, lasts) AS b (first, last) WHERE $2::bigint BETWEEN b.first AND b.last)
      ORDER BY lasts[1] - firsts[1], app_id, pattern
      """,
      Array(sequence(first: number) { $0 >= 10 ? $0 / 10 : nil }), number, decode: decodeRange)
  }

  static func decodeRange(_ row: PostgresRow) throws -> RangeRule {
    let (state, treatment): (String, String) = (try row.decode(4), try row.decode(5))
    guard let state = RangeRule.State(rawValue: state), let treatment = Decision.Treatment(rawValue: treatment) else {
      throw StorageError.unknownState(state)
    }
    let (firsts, lasts): ([Int64], [Int64]) = (try row.decode(2), try row.decode(3))
    var rule = RangeRule(
      stored: RangePattern(stored: try row.decode(0), blocks: zip(firsts, lasts).map { $0...$1 }),
      treatment: treatment, category: try row.category(6), label: try row.decode(7), reason: try row.decode(8),
      state: state, proposedAt: try row.decode(14))
    (rule.appID, rule.members, rule.heat) = (
      try row.decode(1), Int(try row.decode(9, as: Int32.self)), try row.decode(10)
    )
    (rule.validFrom, rule.validUntil) = (try row.decode(11), try row.decode(12))
    (rule.proposedBy, rule.decidedBy, rule.decidedAt) = (try row.decode(13), try row.decode(15), try row.decode(16))
    return rule
  }
}

/// The counts of a range's numbers that a moderator should know before it gets a rule.
public struct RangeCounts: Sendable, Equatable {
  /// The numbers of the range.
  public var numbers: Int64 = 0
  public var reported: Int64 = 0
  /// Those that the newest publication lists already: by themselves, or by another rule.
  public var listed: Int64 = 0
  /// Those that a decision allows.
  public var allowed: Int64 = 0
  /// Those that another decision is about.
  public var decided: Int64 = 0
  public var held: Int64 = 0
  public var protected: Int64 = 0
  /// Those that a directory names.
  public var named: Int64 = 0

  public init() {}
}
