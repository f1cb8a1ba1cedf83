// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The versions of the thresholds with their authors, the newest first.
struct ReadThresholdVersions: PostgresStatement {
  /// The version; nil for all.
  let version: Int32?
  let limit: Int

  static let sql = """
    SELECT version, saved_at, saved_by, reason FROM threshold_versions
    WHERE $1::integer IS NULL OR version = $1::integer
    ORDER BY version DESC LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(version)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> ThresholdVersion {
    ThresholdVersion(
      version: try row.decode(0), savedAt: try row.decode(1), savedBy: try row.decode(2), reason: try row.decode(3))
  }
}

/// A version's thresholds.
struct ReadThresholds: PostgresStatement {
  /// The version; nil for the newest.
  let version: Int32?

  static let sql = """
    SELECT category_id, country, review_heat,
           enter_heat, enter_evidence, enter_confidence, enter_reporters, enter_networks, enter_days,
           leave_heat, leave_evidence, leave_confidence, leave_reporters, leave_networks, leave_days
    FROM threshold_rules
    WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY category_id, country
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(version)
  }

  static func decode(_ row: PostgresRow) throws -> Threshold {
    func bar(_ first: Int) throws -> ThresholdLimits {
      ThresholdLimits(
        heat: try row.decode(first), evidence: try row.decode(first + 1), confidence: try row.decode(first + 2),
        reporters: Int(try row.decode(first + 3, as: Int32.self)),
        networks: Int(try row.decode(first + 4, as: Int32.self)),
        days: Int(try row.decode(first + 5, as: Int32.self)))
    }
    let country = try row.decode(1, as: String.self)
    return Threshold(
      category: try row.category(0), country: country.isEmpty ? nil : country, enter: try bar(3), leave: try bar(9),
      reviewHeat: try row.decode(2))
  }
}

/// A version's rules for imported lists.
struct ReadSourceRules: PostgresStatement {
  /// The version; nil for the newest.
  let version: Int32?

  static let sql = """
    SELECT app_id, weight, enter_complaints, enter_days, leave_complaints, leave_days
    FROM source_rules
    WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(version)
  }

  static func decode(_ row: PostgresRow) throws -> SourceRule {
    func bar(_ first: Int) throws -> SourceRule.Bar {
      SourceRule.Bar(
        complaints: Int(try row.decode(first, as: Int32.self)), days: Int(try row.decode(first + 1, as: Int32.self)))
    }
    return SourceRule(
      appID: try row.decode(0), weight: Double(try row.decode(1, as: Float.self)), enter: try bar(2),
      leave: try bar(4))
  }
}

/// Adds a version after the one it was made from; no row when another was saved meanwhile.
struct SaveThresholdVersion: PostgresStatement {
  let version: ThresholdVersion

  static let sql = """
    INSERT INTO threshold_versions (version, saved_at, saved_by, reason)
    SELECT $1, $2, $3, $4 WHERE $1::integer = (SELECT max(version) + 1 FROM threshold_versions)
    ON CONFLICT (version) DO NOTHING
    RETURNING version
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(version.version)
    parameters.append(version.savedAt)
    parameters.append(version.savedBy)
    parameters.append(version.reason)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Adds a version's thresholds.
struct SaveThresholds: PostgresStatement {
  typealias Row = Void
  let version: Int32
  let thresholds: [Threshold]

  static let sql = """
    INSERT INTO threshold_rules
      (version, category_id, country, review_heat,
       enter_heat, enter_evidence, enter_confidence, enter_reporters, enter_networks, enter_days,
       leave_heat, leave_evidence, leave_confidence, leave_reporters, leave_networks, leave_days)
    SELECT $1::integer, * FROM unnest(
      $2::smallint[], $3::text[], $4::float8[],
      $5::float8[], $6::float8[], $7::float8[], $8::integer[], $9::integer[], $10::integer[],
      $11::float8[], $12::float8[], $13::float8[], $14::integer[], $15::integer[], $16::integer[])
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(version)
    parameters.append(thresholds.map(\.category.rawValue))
    parameters.append(thresholds.map { $0.country ?? "" })
    parameters.append(thresholds.map(\.reviewHeat))
    for bars in [thresholds.map(\.enter), thresholds.map(\.leave)] {
      parameters.append(bars.map(\.heat))
      parameters.append(bars.map(\.evidence))
      parameters.append(bars.map(\.confidence))
      parameters.append(bars.map { Int32($0.reporters) })
      parameters.append(bars.map { Int32($0.networks) })
      parameters.append(bars.map { Int32($0.days) })
    }
  }
}

/// Adds a version's rules for imported lists.
struct SaveSourceRules: PostgresStatement {
  typealias Row = Void
  let version: Int32
  let sources: [SourceRule]

  static let sql = """
    INSERT INTO source_rules (version, app_id, weight, enter_complaints, enter_days, leave_complaints, leave_days)
    SELECT $1::integer, * FROM unnest(
      $2::integer[], $3::real[], $4::integer[], $5::integer[], $6::integer[], $7::integer[])
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(version)
    parameters.append(sources.map(\.appID))
    parameters.append(sources.map { Float($0.weight) })
    for bars in [sources.map(\.enter), sources.map(\.leave)] {
      parameters.append(bars.map { Int32($0.complaints) })
      parameters.append(bars.map { Int32($0.days) })
    }
  }
}

/// Imported lists.
struct ReadLists: PostgresStatement {
  static let sql = "SELECT app_id, name FROM apps WHERE is_list ORDER BY app_id"

  static func decode(_ row: PostgresRow) throws -> App {
    App(id: try row.decode(0), name: try row.decode(1))
  }
}
