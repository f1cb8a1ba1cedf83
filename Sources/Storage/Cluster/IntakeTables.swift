// SPDX-License-Identifier: Apache-2.0

/// The names of tables in the statements of intake: the names of the schema, or on a cluster the names of one shard's tables
/// on its node, which contain the ids of shards.
struct TableNames: Sendable {
  static let schema = TableNames(shards: [:])

  /// The ids of shards by the tables of the schema; reference tables have one each.
  let shards: [String: Int64]

  subscript(table: String) -> String { shards[table].map { "\(table)_\($0)" } ?? table }

  /// Finds the report `r` with the id of a row `i` among the reports of its number.
  static let ofNumber = "r.number = i.number AND \(id)"
  /// The same among the app's reports with a reporter, for such a row; nil on a cluster, where all ids belong to numbers (record
  /// 0074).
  var ofApp: String? { shards.isEmpty ? "i.reporter IS NOT NULL AND \(Self.id) AND r.reporter IS NOT NULL" : nil }

  private static let id = "r.app_id = i.app_id AND r.report_id = i.report_id"
}

/// The tables that intake reads and writes.
struct IntakeTables: Sendable {
  static let schema = IntakeTables(.schema)
  /// The ones with a shard for each interval of hashes.
  static let distributed = [
    "holds", "number_categories", "number_decisions", "number_reporters", "number_sources", "numbers", "reports",
  ]
  static let references = [
    "apps", "attestation_rules", "attested_reporters", "categories", "erased_reports", "reporter_weights", "reporters",
    "source_rules", "threshold_versions",
  ]

  let names: TableNames
  /// The text of ``SQL/acceptReports(_:receivedAt:in:)``, made once because the statement runs for each batch.
  let acceptReports: String

  init(_ names: TableNames) { (self.names, acceptReports) = (names, SQL.acceptReportsText(in: names)) }
}
