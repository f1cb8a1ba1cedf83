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
      SELECT category_id, country, \(Threshold.readColumns) FROM threshold_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY category_id, country
      """,
      version
    ) { row in
      let country = try row.decode(1, as: String.self)
      let none = ThresholdLimits(heat: 0, evidence: 0, confidence: 0, reporters: 0, networks: 0, days: 0)
      var threshold = Threshold(
        category: try row.category(0), country: country.isEmpty ? nil : country, enter: none, leave: none, reviewHeat: 0
      )
      try threshold.read(row, from: 2)
      return threshold
    }
  }

  /// - Parameter version: Nil for the newest.
  static func readSourceRules(version: Int32?) -> Statement<SourceRule> {
    Statement(
      """
      SELECT app_id, \(SourceRule.readColumns) FROM source_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY app_id
      """,
      version
    ) { row in
      let none = SourceRule.Bar(complaints: 0, days: 0)
      var rule = SourceRule(appID: try row.decode(0), weight: 0, enter: none, leave: none)
      try rule.read(row, from: 1)
      return rule
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
    Statement(
      """
      INSERT INTO threshold_rules (version, category_id, country, \(Threshold.columns.joined(separator: ", ")))
      SELECT $1::integer, * FROM unnest($2::smallint[], $3::text[], \(Threshold.arrays(from: 4)))
      """,
      version, thresholds.map(\.category.rawValue), thresholds.map { $0.country ?? "" }, RuleColumns(rules: thresholds))
  }

  static func saveSourceRules(version: Int32, sources: [SourceRule]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO source_rules (version, app_id, \(SourceRule.columns.joined(separator: ", ")))
      SELECT $1::integer, * FROM unnest($2::integer[], \(SourceRule.arrays(from: 3)))
      """,
      version, sources.map(\.appID), RuleColumns(rules: sources))
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

extension FieldwiseRule {
  /// The columns of its table, named after its fields.
  fileprivate static var columns: [String] {
    table.map { $0.name == "block.shared" ? "blocks_shared" : $0.name.replacing(".", with: "_") }
  }

  /// Weights of lists are stored with seven digits.
  fileprivate static var readColumns: String {
    zip(table, columns).map { if case .real = $0.path { "\($1)::float8" } else { $1 } }.joined(separator: ", ")
  }

  /// The placeholders of ``RuleColumns``.
  fileprivate static func arrays(from first: Int) -> String {
    table.enumerated().map { index, field in
      switch field.path {
      case .real: "$\(first + index)::float8[]"
      case .whole: "$\(first + index)::integer[]"
      case .flag: "$\(first + index)::boolean[]"
      }
    }.joined(separator: ", ")
  }

  fileprivate mutating func read(_ row: PostgresRow, from first: Int) throws {
    for (column, field) in Self.table.enumerated() {
      switch field.path {
      case .real(let path): self[keyPath: path] = try row.decode(first + column)
      case .whole(let path): self[keyPath: path] = Int(try row.decode(first + column, as: Int32.self))
      case .flag(let path): self[keyPath: path] = try row.decode(first + column)
      }
    }
  }
}

/// An array for each field of rules.
private struct RuleColumns<Rule: FieldwiseRule>: PostgresBindable {
  let rules: [Rule]

  func bind(into parameters: inout PostgresParameters) {
    for field in Rule.table {
      switch field.path {
      case .real(let path): parameters.append(rules.map { $0[keyPath: path] })
      case .whole(let path): parameters.append(rules.map { Int32($0[keyPath: path]) })
      case .flag(let path): parameters.append(rules.map { $0[keyPath: path] })
      }
    }
  }
}
