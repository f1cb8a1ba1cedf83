// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

extension SQL {
  static func readNewestThresholdVersion() -> Statement<Int32?> {
    Statement("SELECT max(version) FROM threshold_versions") { try $0.decode(0) }
  }

  /// The versions of the thresholds with their authors, the newest first.
  /// - Parameter version: The version; nil for all.
  static func readThresholdVersions(version: Int32?, limit: Int) -> Statement<ThresholdVersion> {
    Statement(
      """
      SELECT version, saved_at, saved_by, reason FROM threshold_versions
      WHERE $1::integer IS NULL OR version = $1::integer
      ORDER BY version DESC LIMIT $2::bigint
      """,
      version, Int64(limit)
    ) { row in
      ThresholdVersion(
        version: try row.decode(0), savedAt: try row.decode(1), savedBy: try row.decode(2), reason: try row.decode(3))
    }
  }

  /// - Parameter version: Nil for the newest.
  static func readThresholds(version: Int32?) -> Statement<Threshold> {
    Statement(
      """
      SELECT category_id, country, review_heat,
             enter_heat, enter_evidence, enter_confidence, enter_reporters, enter_networks, enter_days,
             leave_heat, leave_evidence, leave_confidence, leave_reporters, leave_networks, leave_days
      FROM threshold_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY category_id, country
      """,
      version
    ) { row in
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

  /// - Parameter version: Nil for the newest.
  static func readSourceRules(version: Int32?) -> Statement<SourceRule> {
    Statement(
      """
      SELECT app_id, weight, enter_complaints, enter_days, leave_complaints, leave_days, block_complaints, blocks_shared
      FROM source_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY app_id
      """,
      version
    ) { row in
      func bar(_ first: Int) throws -> SourceRule.Bar {
        SourceRule.Bar(
          complaints: Int(try row.decode(first, as: Int32.self)), days: Int(try row.decode(first + 1, as: Int32.self)))
      }
      return SourceRule(
        appID: try row.decode(0), weight: Double(try row.decode(1, as: Float.self)), enter: try bar(2),
        leave: try bar(4), blockComplaints: Int(try row.decode(6, as: Int32.self)), blocksShared: try row.decode(7))
    }
  }

  /// Adds a version after the one it was made from; no row when another was saved meanwhile.
  static func saveThresholdVersion(version: ThresholdVersion) -> Statement<Int32> {
    Statement(
      """
      INSERT INTO threshold_versions (version, saved_at, saved_by, reason)
      SELECT $1, $2, $3, $4 WHERE $1::integer = (SELECT max(version) + 1 FROM threshold_versions)
      ON CONFLICT (version) DO NOTHING
      RETURNING version
      """,
      version.version, version.savedAt, version.savedBy, version.reason
    ) { try $0.decode(0) }
  }

  static func saveThresholds(version: Int32, thresholds: [Threshold]) -> Statement<Void> {
    struct Limits: PostgresBindable {
      let limits: [ThresholdLimits]

      func bind(into parameters: inout PostgresParameters) {
        parameters.append(limits.map(\.heat))
        parameters.append(limits.map(\.evidence))
        parameters.append(limits.map(\.confidence))
        parameters.append(limits.map { Int32($0.reporters) })
        parameters.append(limits.map { Int32($0.networks) })
        parameters.append(limits.map { Int32($0.days) })
      }
    }
    return Statement(
      """
      INSERT INTO threshold_rules
        (version, category_id, country, review_heat,
         enter_heat, enter_evidence, enter_confidence, enter_reporters, enter_networks, enter_days,
         leave_heat, leave_evidence, leave_confidence, leave_reporters, leave_networks, leave_days)
      SELECT $1::integer, * FROM unnest(
        $2::smallint[], $3::text[], $4::float8[],
        $5::float8[], $6::float8[], $7::float8[], $8::integer[], $9::integer[], $10::integer[],
        $11::float8[], $12::float8[], $13::float8[], $14::integer[], $15::integer[], $16::integer[])
      """,
      version, thresholds.map(\.category.rawValue), thresholds.map { $0.country ?? "" }, thresholds.map(\.reviewHeat),
      Limits(limits: thresholds.map(\.enter)), Limits(limits: thresholds.map(\.leave)))
  }

  static func saveSourceRules(version: Int32, sources: [SourceRule]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO source_rules
        (version, app_id, weight, enter_complaints, enter_days, leave_complaints, leave_days, block_complaints,
         blocks_shared)
      SELECT $1::integer, * FROM unnest(
        $2::integer[], $3::real[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::integer[],
        $9::boolean[])
      """,
      version, sources.map(\.appID), sources.map { Float($0.weight) }, sources.map { Int32($0.enter.complaints) },
      sources.map { Int32($0.enter.days) }, sources.map { Int32($0.leave.complaints) },
      sources.map { Int32($0.leave.days) }, sources.map { Int32($0.blockComplaints) }, sources.map(\.blocksShared))
  }

  /// - Parameter version: Nil for the newest.
  static func readAttestationRules(version: Int32?) -> Statement<AttestationRule> {
    Statement(
      """
      SELECT app_id, hardware, software, unattested FROM attestation_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY app_id
      """,
      version
    ) { row in
      // Written as decimal numbers, so that 0.8 stays 0.8.
      func weight(_ column: Int) throws -> Double {
        let value: Float = try row.decode(column)
        return Double("\(value)") ?? Double(value)
      }
      return AttestationRule(
        appID: try row.decode(0), hardware: try weight(1), software: try weight(2), unattested: try weight(3))
    }
  }

  static func saveAttestationRules(version: Int32, rules: [AttestationRule]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO attestation_rules (version, app_id, hardware, software, unattested)
      SELECT $1::integer, * FROM unnest($2::integer[], $3::real[], $4::real[], $5::real[])
      """,
      version, rules.map(\.appID), rules.map { Float($0.hardware) }, rules.map { Float($0.software) },
      rules.map { Float($0.unattested) })
  }

  /// - Parameter version: Nil for the newest.
  static func readIdentifyRule(version: Int32?) -> Statement<IdentifyRule> {
    Statement(
      """
      SELECT heat_share, reporters, networks, days, corroborated_reporters, corroborated_networks, corroborated_days,
             marks, labels, label_share
      FROM identify_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions))
      """,
      version
    ) { row in
      func limits(_ first: Int) throws -> IdentifyRule.Limits {
        IdentifyRule.Limits(
          reporters: Int(try row.decode(first, as: Int32.self)),
          networks: Int(try row.decode(first + 1, as: Int32.self)),
          days: Int(try row.decode(first + 2, as: Int32.self)))
      }
      return IdentifyRule(
        heatShare: try row.decode(0), alone: try limits(1), corroborated: try limits(4),
        identifiedMarks: Set(try row.decode(7, as: [String].self).compactMap(IdentifyRule.Mark.init)),
        labels: Int(try row.decode(8, as: Int32.self)), labelShare: try row.decode(9))
    }
  }

  static func saveIdentifyRule(version: Int32, rule: IdentifyRule) -> Statement<Void> {
    Statement(
      """
      INSERT INTO identify_rules (version, heat_share, reporters, networks, days, corroborated_reporters,
                                  corroborated_networks, corroborated_days, marks, labels, label_share)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      """,
      version, rule.heatShare, Int32(rule.alone.reporters), Int32(rule.alone.networks), Int32(rule.alone.days),
      Int32(rule.corroborated.reporters), Int32(rule.corroborated.networks), Int32(rule.corroborated.days),
      rule.identifiedMarks.map(\.rawValue).sorted(), Int32(rule.labels), rule.labelShare)
  }

  /// - Parameter areLists: Leaves out apps that are no imported lists.
  static func readApps(areLists: Bool) -> Statement<App> {
    Statement(
      "SELECT app_id, name FROM apps WHERE is_list OR NOT $1::boolean ORDER BY app_id", areLists
    ) { App(id: try $0.decode(0), name: try $0.decode(1)) }
  }
}
