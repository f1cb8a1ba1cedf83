// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// Everything that is stored about a number, for its owner.
public struct NumberDataStore: Sendable {
  public struct Rows: Sendable, Equatable {
    public let kind: NumberTable.Kind
    public let table: String
    /// Each row as a JSON object, at most ``NumberDataStore/maxRows``.
    public var rows: [String]
  }

  /// The most rows of a table: an export stays below 100 MB.
  static let maxRows = 10_000

  private let pool: PostgresPool

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
  /// A query in parentheses that is read in place of the table; nil for the table.
  var source: String?
  var condition = "t.number = $1"

  /// Reports by month: the time of one, or its comment, would tell a caller which of the called people has made it. Sums of
  /// decaying weights, and other times, would tell the same.
  private static let reports = """
    (SELECT number, to_char(reported_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, category_id, app_id,
            withdrawn_at IS NOT NULL AS withdrawn, count(*) AS reports
     FROM reports WHERE number = $1 GROUP BY 1, 2, 3, 4, 5)
    """

  private static let sums = ["heat", "evidence", "legitimate"]
  private static let times = ["first_reported_at", "last_reported_at"]

  static let all: [NumberTable] = [
    .init(kind: .listings, name: "listings", without: ["sha1"]),
    .init(kind: .listings, name: "statements", without: times),
    .init(kind: .listings, name: "revocations", without: ["requested_by"]),
    // A case begins with a report.
    .init(kind: .decisions, name: "decisions", without: ["decided_by", "case_since"]),
    .init(kind: .decisions, name: "number_decisions"),
    .init(kind: .decisions, name: "decision_reviews", without: ["decided_by", "settled_by"]),
    .init(kind: .decisions, name: "review_opinions", without: ["account"]),
    .init(kind: .decisions, name: "golden_cases", without: ["decided_by", "marked_by"]),
    .init(kind: .decisions, name: "bulk_decisions"),
    .init(
      kind: .reports, name: "numbers",
      without: sums + times + ["last_received_at", "last_day", "day_bits", "network_bits"]),
    .init(kind: .reports, name: "number_categories", without: sums),
    .init(kind: .reports, name: "number_sources", without: sums),
    .init(kind: .reports, name: "source_entries"),
    .init(kind: .reports, name: "reports", source: reports),
    .init(kind: .reports, name: "holds"),
    .init(kind: .reports, name: "usual_bursts"),
    .init(kind: .calls, name: "identification_days"),
    .init(kind: .calls, name: "number_identifications", without: sums),
    // Anybody may have written a statement, such as a former owner.
    .init(kind: .appeals, name: "appeals", without: ["statement", "answered_by", "case_assigned_to"]),
    .init(kind: .appeals, name: "appeal_filings", without: ["statement", "ticket_hash", "network", "area"]),
    .init(
      kind: .review, name: "queue", without: ["claim_id", "claimed_by", "assigned_to", "heat", "since", "urgency"]),
    .init(kind: .review, name: "number_notes", without: ["account"]),
    .init(kind: .review, name: "case_proposals", without: ["account"]),
    .init(kind: .names, name: "directory_entries"),
    .init(kind: .protection, name: "protected_numbers", without: ["added_by"]),
    .init(
      kind: .changes, name: "audit_events", without: ["actor", "event_id", "before", "after", "via"],
      condition: "t.subject = '+' || $1::bigint::text"),
  ]
}

extension SQL {
  /// Rows of a table about a number as JSON.
  static func readNumberData(_ table: NumberTable, number: Int64, limit: Int) -> Statement<String> {
    Statement(
      """
      SELECT (to_jsonb(t) - $2::text[])::text FROM \(table.source ?? table.name) t WHERE \(table.condition)
      LIMIT $3::bigint
      """,
      number, table.without, Int64(limit))
  }
}
