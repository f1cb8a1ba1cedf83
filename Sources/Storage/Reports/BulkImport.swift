// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Synchronization

/// The first import into a database without reports, in one transaction that builds the indexes last.
///
/// Reports are collected in a temporary table, while nothing is locked. They are then read in the order of their numbers,
/// ``ListAggregates`` computes the aggregates of each number, and COPY fills tables without indexes, which costs a tenth of
/// the processor time of ``ReportStore/accept(_:receivedAt:)``. Until the commit all other sessions wait for these tables.
/// An import that ends before has stored nothing.
///
/// If another session has stored reports meanwhile, or if the tables cannot be locked or filled, the collected reports are
/// stored in batches.
public struct BulkImport: Sendable {
  /// Adds reports of the source, without reporter, network and comment, to the collection; one call at a time.
  public typealias Writer = @Sendable ([Report]) async throws -> Void

  private struct NotEmpty: Error {}

  private let store: ReportStore
  private let appID: Int32
  private let lockTimeout: Int

  public init(of appID: Int32, in store: ReportStore) {
    self.init(of: appID, in: store, lockTimeout: 3_000)
  }

  /// - Parameter lockTimeout: how long it waits for the tables, and others wait behind it, in milliseconds, 1 or more.
  init(of appID: Int32, in store: ReportStore, lockTimeout: Int) {
    (self.appID, self.store, self.lockTimeout) = (appID, store, lockTimeout)
  }

  /// Collects reports and stores them.
  /// - Parameters:
  ///   - collect: passes all reports to the writer.
  ///   - progress: called while reports are stored, with how many are done, counting those whose indexes are built, and
  ///     with the total.
  /// - Returns: the result of `collect`, and how many reports were stored already. Nil, without a call of `collect`, for a
  ///   cluster and for a database with reports or numbers: use ``ReportStore/accept(_:receivedAt:)``.
  /// - Throws: the error of `collect`, with nothing stored; the errors of ``ReportStore/accept(_:receivedAt:)``.
  public func run<Value: Sendable>(
    _ collect: @Sendable (@escaping Writer) async throws -> Value,
    progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> (value: Value, duplicates: Int)? {
    guard try await !store.nodes.isCluster, try await store.pool.withConnection(isEmpty) else { return nil }
    return try await store.pool.withConnection { connection in
      try await connection.transaction { connection in
        try await connection.execute(script: Self.create)
        let collected = Mutex((months: Set<Month>(), count: 0, unassigned: Set<Int64>()))
        let value = try await collect { reports in
          try await connection.copyIn(Self.collect, rows: reports.map(CollectedReport.init))
          collected.withLock { collected in
            collected.months.formUnion(reports.map { Month(containing: $0.reportedAt) })
            collected.count += reports.count
            collected.unassigned.formUnion(reports.lazy.filter(\.isUnassigned).map(\.number))
          }
        }
        let (months, count, unassigned) = collected.withLock { $0 }
        guard count > 0 else { return (value, 0) }
        // By other sessions: this one has no lock yet.
        try await store.partitions.prepare(for: months.map(\.start))
        do {
          try await connection.transaction { try await fill($0, count, unassigned, progress) }
          return (value, 0)
        } catch  where Self.leavesBatches(error) {
          return (value, try await storeBatches(connection, count, unassigned, progress))
        }
      }
    }
  }

  /// Whether the tables are as before, so that the reports can be stored in batches: other reports came first, or the tables
  /// could not be locked or filled.
  private static func leavesBatches(_ error: any Error) -> Bool {
    error is NotEmpty
      || ["23", "2B", "40", "42", "55"].contains((error as? PostgresError)?.sqlState?.prefix(2))
  }

  /// Whether no report and no number is stored.
  private func isEmpty(_ connection: PostgresConnection) async throws -> Bool {
    guard try await connection.run(SQL.readAnyReport()).isEmpty else { return false }
    return try await connection.run(SQL.readAnyNumber()).isEmpty
  }

  /// Fills the tables inside a savepoint, whose end releases the locks where it fails.
  private func fill(
    _ connection: PostgresConnection, _ count: Int, _ unassigned: Set<Int64>,
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws {
    try await connection.execute(script: "SET LOCAL lock_timeout = \(lockTimeout); \(Self.lock)")
    // Only now: a report that is stored later arrives later.
    let time = Date()
    guard try await isEmpty(connection) else { throw NotEmpty() }
    let held = unassigned.sorted()
    if !held.isEmpty { _ = try await connection.run(SQL.holdUnassigned(numbers: held, time: time)) }
    let weight = try await connection.run(SQL.readSourceWeight(appID: appID)).first ?? 1
    let indexes = try await connection.run(SQL.readIndexes(tables: Self.tables))
    for index in indexes { try await connection.execute(script: index.drop) }

    var aggregates = ListAggregates(appID: appID)
    var stored = 0
    for try await batch in connection.stream(collectedReports, batchSize: 20_000).batches {
      var reports = PostgresCopyRows(capacity: batch.count * 96)
      for var report in batch {
        report.weight *= weight
        try reports.append { tuple in
          tuple.append(report.number)
          tuple.append(appID)
          tuple.append(report.reportID)
          tuple.append(report.reportedAt)
          tuple.append(time)
          tuple.append(report.category.rawValue)
          tuple.append(report.weight)
        }
        try aggregates.add(report)
      }
      try await connection.copyIn(Self.copyReports, reports)
      for (sql, rows) in aggregates.take() { try await connection.copyIn(sql, rows) }
      stored += batch.count
      progress(Int(Double(stored) * Self.copyShare), count)
    }
    try aggregates.finish()
    for (sql, rows) in aggregates.take() { try await connection.copyIn(sql, rows) }

    let total = max(1, indexes.reduce(0) { $0 + $1.cost })
    var built = 0
    for index in indexes {
      try await connection.execute(script: index.create)
      built += index.cost
      let share = Self.copyShare + (1 - Self.copyShare) * Double(built) / Double(total)
      progress(Int(Double(count) * share), count)
    }
  }

  /// - Returns: how many reports were not new.
  private func storeBatches(
    _ connection: PostgresConnection, _ count: Int, _ unassigned: Set<Int64>,
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws -> Int {
    var (done, duplicates) = (0, 0)
    for try await batch in connection.stream(collectedReports, batchSize: 15_000).batches {
      let reports = batch.map { report in
        var report = report
        report.isUnassigned = unassigned.contains(report.number)
        return report
      }
      let outcomes = try await store.accept(reports, receivedAt: Date())
      duplicates += outcomes.count { $0 != .created }
      done += batch.count
      progress(done, count)
    }
    return duplicates
  }

  /// The part of the time to fill the tables that passes before the first index is built, as measured.
  private static let copyShare = 0.55

  /// In the order in which ``SQL/acceptReports(_:receivedAt:in:)`` locks them.
  private static let tables = ["reports", "number_categories", "numbers", "number_sources"]

  // Sorting and building indexes takes more memory than other statements have.
  private static let lock = """
    LOCK TABLE \(tables.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE; SET LOCAL work_mem = '64MB';
    SET LOCAL maintenance_work_mem = '128MB'
    """

  private static let create = """
    CREATE TEMPORARY TABLE collected_reports (
      number bigint, report_id uuid, reported_at timestamptz, category_id smallint, weight real
    ) ON COMMIT DROP
    """
  private static let collect = "COPY collected_reports FROM STDIN (FORMAT binary)"
  private static let copyReports = """
    COPY reports (number, app_id, report_id, reported_at, received_at, category_id, weight) FROM STDIN (FORMAT binary)
    """

  /// The collected reports by number and category, with the weights of rows. The table exists only in this transaction, so
  /// this is no statement about the schema.
  private var collectedReports: Statement<Report> {
    Statement(
      "SELECT number, report_id, reported_at, category_id, weight FROM collected_reports ORDER BY number, category_id"
    ) { [appID] row in
      Report(
        number: try row.decode(0), appID: appID, reportID: try row.decode(1), reportedAt: try row.decode(2),
        category: try row.category(3), reporter: nil, weight: try row.decode(4))
    }
  }
}

/// A row of the temporary table.
private struct CollectedReport: PostgresCopyRow {
  let report: Report

  func encode(into tuple: inout PostgresCopyTuple) {
    tuple.append(report.number)
    tuple.append(report.reportID)
    tuple.append(report.reportedAt)
    tuple.append(report.category.rawValue)
    tuple.append(report.weight)
  }
}

extension PostgresConnection {
  /// Feeds a binary COPY with encoded rows.
  fileprivate func copyIn(_ sql: String, _ rows: PostgresCopyRows) async throws {
    let rest = Mutex<PostgresCopyRows?>(rows)
    try await copyIn(sql) { rest.withLock { $0.take() } }
  }
}

/// An index or a key, as the commands that drop and create it.
struct IndexDefinition: Sendable {
  let drop: String
  let create: String
  /// Relative time to build it after a first import; 0 for an index of few rows.
  let cost: Int
}

extension SQL {
  static func readAnyReport() -> Statement<Int64> {
    Statement("SELECT number FROM reports LIMIT 1") { try $0.decode(0) }
  }

  /// A number with sums, if there is one.
  static func readAnyNumber() -> Statement<Int64> {
    Statement("SELECT number FROM numbers LIMIT 1") { try $0.decode(0) }
  }

  /// The weight of an imported list by the thresholds in force; no row where it is 1.
  static func readSourceWeight(appID: Int32) -> Statement<Float> {
    Statement(
      """
      SELECT weight FROM source_rules
      WHERE version = (SELECT max(version) FROM threshold_versions) AND app_id IN ($1, 0) ORDER BY app_id DESC LIMIT 1
      """,
      appID
    ) { try $0.decode(0) }
  }

  /// The indexes of tables with the definitions that they have at present. The definition of an index of a partitioned table
  /// names this table alone, without its partitions, unless ONLY is removed.
  static func readIndexes(tables: [String]) -> Statement<IndexDefinition> {
    Statement(
      """
      SELECT CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', x.indexrelid::regclass)
                  ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', x.indrelid::regclass, c.conname) END,
             CASE WHEN c.oid IS NULL THEN regexp_replace(pg_get_indexdef(x.indexrelid), ' ON ONLY ', ' ON ')
                  ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', x.indrelid::regclass, c.conname,
                              pg_get_constraintdef(c.oid)) END,
             CASE WHEN x.indpred IS NOT NULL OR a.amname <> 'btree' THEN 0 WHEN x.indrelid = 'reports'::regclass THEN 2
                  ELSE 1 END
      FROM pg_index x
        JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_am a ON a.oid = i.relam
        LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.contype IN ('p', 'u', 'x')
      WHERE x.indrelid = ANY($1::text[]::regclass[]) ORDER BY x.indrelid, x.indexrelid
      """,
      tables
    ) { row in
      IndexDefinition(
        drop: try row.decode(0), create: try row.decode(1), cost: Int(try row.decode(2, as: Int32.self)))
    }
  }
}
