// SPDX-License-Identifier: Apache-2.0

/// The statements that turn a PostgreSQL schema into a Citus schema.
public struct ClusterPlan: Sendable {
  /// Shards of each distributed table, and of each of its partitions.
  public let shards: Int

  /// - Parameter shards: a power of two is usual; at least 1.
  public init(shards: Int = 32) {
    self.shards = max(1, shards)
  }

  /// The first distributed table; all others are co-located with it.
  private static let anchor = "numbers"

  /// All statements in execution order: reference tables first, because foreign keys of other tables refer to them, and
  /// referenced tables before those that refer to them.
  public var statements: [String] {
    ["CREATE EXTENSION IF NOT EXISTS citus;", "SET citus.shard_count = \(shards);"]
      + Self.references.map { "SELECT create_reference_table('\($0)');" }
      + ["SELECT create_distributed_table('\(Self.anchor)', 'number', colocate_with => 'none');"]
      + Self.names(.distributed).filter { $0 != Self.anchor }.map {
        "SELECT create_distributed_table('\($0)', 'number', colocate_with => '\(Self.anchor)');"
      } + Self.identities.map(Self.sequence)
  }

  /// Identity columns of local and reference tables. Citus creates the tables again with sequences that start at 1, so
  /// the plan continues each after the greatest id.
  static let identities = [
    (table: "accounts", column: "account_id"), (table: "app_keys", column: "key_id"),
    (table: "apps", column: "app_id"), (table: "directory_sources", column: "source_id"),
    (table: "key_withdrawals", column: "withdrawal_id"),
  ]

  private static func sequence(_ identity: (table: String, column: String)) -> String {
    let (table, column) = identity
    return """
      SELECT setval(pg_get_serial_sequence('\(table)', '\(column)'), \
      (SELECT coalesce(max(\(column)), 0) + 1 FROM \(table)), false);
      """
  }

  /// Tables that are not distributed.
  public static var local: [String] { names(.local) }

  /// Reference tables, referenced ones first.
  private static var references: [String] {
    let first = ["categories", "threshold_versions", "regions", "apps", "app_keys"]
    return first + names(.reference).filter { !first.contains($0) }
  }

  private static func names(_ placement: TablePlacement) -> [String] {
    TablePlacement.all.filter { $0.value == placement }.map(\.key).sorted()
  }
}
