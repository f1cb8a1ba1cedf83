// SPDX-License-Identifier: Apache-2.0

/// The statements that turn a PostgreSQL schema into a Citus schema.
public struct ClusterPlan: Sendable {
  public struct Step: Sendable, Equatable {
    /// The table whose rows it moves; nil where it moves none.
    public let table: String?
    /// SQL with its semicolon.
    public let statement: String
  }

  /// Shards of each distributed table, and of each of its partitions.
  public let shards: Int
  /// The database that is to be distributed; nil for an empty one.
  private let survey: ClusterSurvey?

  /// - Parameters:
  ///   - shards: at least 1; nil for two on each node of the survey that keeps shards, and for 4 without one.
  ///   - survey: the state of a filled database. Tables that are distributed already are left out.
  public init(shards: Int? = nil, survey: ClusterSurvey? = nil) {
    self.shards = max(1, shards ?? 2 * max(2, survey?.nodes ?? 0))
    self.survey = survey
  }

  /// The first distributed table; all others are co-located with it.
  private static let anchor = "numbers"

  /// All steps in execution order: reference tables first, because foreign keys of other tables refer to them, and
  /// referenced tables before those that refer to them. Empty where everything is distributed.
  ///
  /// Each statement is a transaction. After an interruption, a plan from the database at that time has the remaining
  /// steps. The local rows of a filled table are removed when all tables are distributed.
  public var steps: [Step] {
    let moves = moves
    guard !moves.isEmpty else { return [] }
    let opening = ["CREATE EXTENSION IF NOT EXISTS citus;", "SET citus.shard_count = \(shards);"]
    let filled = Self.names(.distributed).filter { (survey?.sizes[$0]?.rows ?? 0) > 0 }
    let closing =
      Self.identities.map(Self.sequence)
      + filled.map { "SELECT truncate_local_data_after_distributing_table('\($0)');" }
      + filled.map { "ANALYZE \($0);" }
    return opening.map { Step(table: nil, statement: $0) } + moves
      + closing.map { Step(table: nil, statement: $0) }
  }

  /// The statements that place a table.
  private var moves: [Step] {
    let references = Self.references.map {
      Step(table: $0, statement: "SELECT create_reference_table('\($0)');")
    }
    let others = Self.names(.distributed).filter { $0 != Self.anchor }
    let distributed = ([Self.anchor] + others).map { table in
      let group = table == Self.anchor ? "none" : Self.anchor
      return Step(
        table: table,
        statement: "SELECT create_distributed_table('\(table)', 'number', colocate_with => '\(group)');")
    }
    return (references + distributed).filter { step in
      step.table.map { survey?.placed.contains($0) != true } ?? true
    }
  }

  /// Bytes per second that moving a table is estimated with: a restore of reports with their indexes on two shared cores
  /// (Documentation/scaling.md: 33,000 reports per second of 535 bytes). Moving also writes each row with its indexes.
  public static let rate = 17e6

  /// Identity columns of local and reference tables. Citus creates the tables again with sequences that start at 1, so
  /// the plan continues each after the greatest id.
  static let identities = [
    (table: "accounts", column: "account_id"), (table: "app_keys", column: "key_id"),
    (table: "apps", column: "app_id"), (table: "audit_outbox", column: "outbox_id"),
    (table: "directory_sources", column: "source_id"),
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
