// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

extension SQL {
  static func readNewestThresholdVersion() -> Statement<Int32?> {
    Statement("SELECT max(version) FROM threshold_versions")
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
      let none = ThresholdLimits(heat: 0)
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
      version.version, version.savedAt, version.savedBy, version.reason)
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
      SELECT app_id, \(AttestationRule.readColumns) FROM attestation_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY app_id
      """,
      version
    ) { row in
      var rule = AttestationRule(appID: try row.decode(0))
      try rule.read(row, from: 1)
      return rule
    }
  }

  static func saveAttestationRules(version: Int32, rules: [AttestationRule]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO attestation_rules (version, app_id, \(AttestationRule.columns.joined(separator: ", ")))
      SELECT $1::integer, * FROM unnest($2::integer[], \(AttestationRule.arrays(from: 3)))
      """,
      version, rules.map(\.appID), RuleColumns(rules: rules))
  }

  /// - Parameter version: Nil for the newest.
  static func readIdentifyRule(version: Int32?) -> Statement<IdentifyRule> {
    Statement(
      """
      SELECT marks, \(IdentifyRule.readColumns) FROM identify_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions))
      """,
      version
    ) { row in
      let marks = try row.decode(0, as: [String].self).compactMap(IdentifyRule.Mark.init)
      var rule = IdentifyRule(identifiedMarks: Set(marks))
      try rule.read(row, from: 1)
      return rule
    }
  }

  static func saveIdentifyRule(version: Int32, rule: IdentifyRule) -> Statement<Void> {
    Statement(
      """
      INSERT INTO identify_rules (version, marks, \(IdentifyRule.columns.joined(separator: ", ")))
      SELECT $1::integer, $2::text[], * FROM unnest(\(IdentifyRule.arrays(from: 3)))
      """,
      version, rule.identifiedMarks.map(\.rawValue).sorted(), RuleColumns(rules: [rule]))
  }

  /// - Parameter areLists: Leaves out apps that are no imported lists.
  static func readApps(areLists: Bool) -> Statement<App> {
    Statement(
      "SELECT app_id, name FROM apps WHERE is_list OR NOT $1::boolean ORDER BY app_id", areLists
    ) { App(id: try $0.decode(0), name: try $0.decode(1)) }
  }
}

extension FieldwiseRule {
  /// The fields with a column. Marks are one array.
  fileprivate static var stored: [RuleField<Self>] { table.filter { !$0.name.hasPrefix("mark.") } }

  /// The columns of its table, named after its fields.
  fileprivate static var columns: [String] {
    stored.map { field in
      field.name == "block.shared"
        ? "blocks_shared" : String(field.name.trimmingPrefix("identify.")).replacing(".", with: "_")
    }
  }

  /// Weights are stored with seven digits. Weights of apps are read as decimal numbers, so that 0.8 stays 0.8.
  fileprivate static var readColumns: String {
    let number = Self.self == AttestationRule.self ? "text::float8" : "float8"
    return zip(stored, columns).map { if case .real = $0.path { "\($1)::\(number)" } else { $1 } }
      .joined(separator: ", ")
  }

  /// The placeholders of ``RuleColumns``.
  fileprivate static func arrays(from first: Int) -> String {
    stored.enumerated().map { index, field in
      switch field.path {
      case .real: "$\(first + index)::float8[]"
      case .whole: "$\(first + index)::integer[]"
      case .flag: "$\(first + index)::boolean[]"
      }
    }.joined(separator: ", ")
  }

  fileprivate mutating func read(_ row: PostgresRow, from first: Int) throws {
    for (column, field) in Self.stored.enumerated() {
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
    for field in Rule.stored {
      switch field.path {
      case .real(let path): parameters.append(rules.map { $0[keyPath: path] })
      case .whole(let path): parameters.append(rules.map { Int32($0[keyPath: path]) })
      case .flag(let path): parameters.append(rules.map { $0[keyPath: path] })
      }
    }
  }
}
