// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// Everything that is stored about a number, for its owner.
public struct NumberDataStore: Sendable {
  /// The rows of one table.
  public struct Rows: Sendable, Equatable {
    /// The kind of data.
    public let kind: NumberTable.Kind
    /// The table.
    public let table: String
    /// Each row as a JSON object, at most ``NumberDataStore/maxRows``.
    public var rows: [String]
  }

  /// The most rows of a table: an export stays below 100 MB.
  static let maxRows = 10_000

  private let pool: PostgresPool

  /// - Parameter pool: where everything is kept.
  public init(pool: PostgresPool) { self.pool = pool }

  /// The rows about a number, from one snapshot, without tables that have none.
  public func data(of number: Int64) async throws -> [Rows] {
    var pipeline = PostgresPipeline()
    let places = NumberTable.all.map { table in
      (table, pipeline.add(SQL.readNumberData(table, number: number, limit: Self.maxRows)))
    }
    let results = try await pool.snapshot(pipeline)
    return try places.map { table, place in
      Rows(kind: table.kind, table: table.name, rows: try results.rows(place))
    }.filter { !$0.rows.isEmpty }
  }
}

/// A table with rows about numbers, and the columns that are about other people: reporters, moderators, other owners.
public struct NumberTable: Sendable {
  /// Kinds of data, in the order of their display.
  public enum Kind: String, Sendable, CaseIterable {
    case listings, decisions, reports, calls, appeals, review, names, protection, changes
  }

  let kind: Kind
  let name: String
  var without: [String] = []
  var condition = "t.number = $1"

  static let all: [NumberTable] = [
    .init(kind: .listings, name: "listings"),
    .init(kind: .listings, name: "statements"),
    .init(kind: .listings, name: "revocations", without: ["requested_by"]),
    .init(kind: .decisions, name: "decisions", without: ["decided_by"]),
    .init(kind: .decisions, name: "number_decisions"),
    .init(kind: .decisions, name: "decision_reviews", without: ["decided_by", "settled_by"]),
    .init(kind: .decisions, name: "review_opinions", without: ["account"]),
    .init(kind: .decisions, name: "golden_cases", without: ["decided_by", "marked_by"]),
    .init(kind: .decisions, name: "bulk_decisions"),
    .init(kind: .reports, name: "numbers"),
    .init(kind: .reports, name: "number_categories"),
    .init(kind: .reports, name: "number_sources"),
    .init(kind: .reports, name: "source_entries"),
    .init(kind: .reports, name: "reports", without: ["reporter", "network", "key_id", "report_id", "weight"]),
    .init(kind: .reports, name: "holds"),
    .init(kind: .reports, name: "usual_bursts"),
    .init(kind: .calls, name: "identification_days"),
    .init(kind: .calls, name: "number_identifications"),
    .init(kind: .appeals, name: "appeals", without: ["answered_by", "case_assigned_to"]),
    .init(kind: .appeals, name: "appeal_filings", without: ["ticket_hash", "network", "area"]),
    .init(kind: .review, name: "queue", without: ["claim_id", "claimed_by", "assigned_to"]),
    .init(kind: .review, name: "number_notes", without: ["account"]),
    .init(kind: .review, name: "case_proposals", without: ["account"]),
    .init(kind: .names, name: "directory_entries"),
    .init(kind: .protection, name: "protected_numbers", without: ["added_by"]),
    .init(
      kind: .changes, name: "audit_events", without: ["actor", "event_id"],
      condition: "t.subject = '+' || $1::bigint::text"),
  ]

  /// Tables with a column `number` that an access leaves out: rows about reporters, moderators and other owners, and
  /// proofs of control.
  static let others: Set = [
    "number_reporters", "hold_reporters", "personal_numbers", "queue_passes", "appeal_contacts", "ranges",
    "owner_codes",
    "owner_passes",
  ]
}

extension SQL {
  /// Rows of a table about a number as JSON.
  static func readNumberData(_ table: NumberTable, number: Int64, limit: Int) -> Statement<String> {
    Statement(
      """
      SELECT (to_jsonb(t) - $2::text[])::text FROM \(table.name) t WHERE \(table.condition) LIMIT $3::bigint
      """,
      number, table.without, Int64(limit)
    ) { try $0.decode(0) }
  }
}
