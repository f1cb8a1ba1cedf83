import Curation
import Foundation
import PostgreSQL

/// What each category adds up to for one number.
struct ReadStanding: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT category_id, heat, evidence, reports, reporters FROM number_categories WHERE number = $1 ORDER BY category_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
  }

  static func decode(_ row: PostgresRow) throws -> Standing.Part {
    Standing.Part(
      category: try row.category(0), heat: try row.decode(1), evidence: try row.decode(2),
      reports: try row.decode(3), reporters: try row.decode(4))
  }
}

/// The thresholds in force.
struct ReadThresholds: PostgresStatement {
  static let sql = "SELECT category_id, heat, confidence, review_heat FROM thresholds ORDER BY category_id"

  static func decode(_ row: PostgresRow) throws -> Threshold {
    Threshold(
      category: try row.category(0), heat: try row.decode(1), confidence: try row.decode(2),
      reviewHeat: try row.decode(3))
  }
}

/// The hottest numbers that a moderator should look at.
struct ReadWatched: PostgresStatement {
  let time: Date
  let limit: Int

  static let sql = """
    WITH lowest AS (SELECT min(review_heat) * $1::float8 AS heat FROM thresholds)
    SELECT n.number, t.category_id, n.heat / $1::float8, w.confidence, n.reports, n.reporters, n.last_reported_at,
           n.heat >= t.heat * $1::float8 AND w.confidence >= t.confidence
    FROM numbers n
    \(Fragments.leadingThreshold)
    \(Fragments.wilson(scale: "$2::float8"))
    WHERE n.heat >= (SELECT heat FROM lowest) AND n.heat >= t.review_heat * $1::float8
    ORDER BY n.heat DESC, n.number
    LIMIT $3::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(Decay.heat.scale(at: time))
    parameters.append(Decay.evidence.scale(at: time))
    parameters.append(Int64(limit))
    parameters.append(ReportCategory.allCases.filter { !$0.isToxic }.map(\.rawValue))
  }

  static func decode(_ row: PostgresRow) throws -> WatchedNumber {
    WatchedNumber(
      number: try row.decode(0), category: try row.category(1), heat: try row.decode(2),
      confidence: try row.decode(3), reports: try row.decode(4), reporters: try row.decode(5),
      lastReportedAt: try row.decode(6), isListed: try row.decode(7))
  }
}

/// The hottest numbers over their thresholds, in ascending order of number.
struct ReadCandidates: PostgresStatement {
  let time: Date
  let limit: Int

  static let sql = """
    WITH lowest AS (SELECT min(heat) * $1::float8 AS heat FROM thresholds),
    top AS (
      SELECT n.number, t.category_id
      FROM numbers n
      \(Fragments.leadingThreshold)
      \(Fragments.wilson(scale: "$2::float8"))
      WHERE n.heat >= (SELECT heat FROM lowest) AND n.heat >= t.heat * $1::float8 AND w.confidence >= t.confidence
      ORDER BY n.heat DESC, n.number
      LIMIT $3::bigint
    )
    SELECT number, category_id FROM top ORDER BY number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(Decay.heat.scale(at: time))
    parameters.append(Decay.evidence.scale(at: time))
    parameters.append(Int64(limit))
    parameters.append(ReportCategory.allCases.filter { !$0.isToxic }.map(\.rawValue))
  }

  static func decode(_ row: PostgresRow) throws -> Candidate {
    Candidate(number: try row.decode(0), category: try row.category(1))
  }
}

/// The two rules that SQL repeats from Curation for the masses; tests hold them against ``Standing``.
private enum Fragments {
  /// The threshold `t` of the hottest toxic category of the number in `n`; see ``Standing/leading``. $4 names what is
  /// not toxic: so put, one look into the index finds all of a number's categories.
  static let leadingThreshold = """
    CROSS JOIN LATERAL (
      SELECT c.category_id FROM number_categories c
      WHERE c.number = n.number AND c.heat > 0 AND c.category_id <> ALL($4::smallint[])
      ORDER BY c.heat DESC, c.category_id LIMIT 1
    ) hottest
    JOIN thresholds t ON t.category_id = hottest.category_id
    """

  /// Wilson's lower bound `w.confidence` of the number in `n`; see ``Confidence``.
  static func wilson(scale: String) -> String {
    """
    CROSS JOIN LATERAL (
      SELECT greatest(n.evidence + n.legitimate, 0) / \(scale) AS votes,
             n.evidence / nullif(n.evidence + n.legitimate, 0) AS p, 1.96::float8 AS z
    ) v
    CROSS JOIN LATERAL (
      SELECT CASE WHEN v.votes > 0 THEN greatest(0, (v.p + v.z * v.z / (2 * v.votes)
               - v.z * sqrt((v.p * (1 - v.p) + v.z * v.z / (4 * v.votes)) / v.votes))
             / (1 + v.z * v.z / v.votes)) ELSE 0 END AS confidence
    ) w
    """
  }
}

extension PostgresRow {
  /// A category by its id.
  func category(_ column: Int) throws -> ReportCategory {
    let id: Int16 = try decode(column)
    guard let category = ReportCategory(rawValue: id) else { throw StorageError.unknownCategory(id: id) }
    return category
  }
}
