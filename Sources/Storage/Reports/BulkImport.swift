// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
package import PostgreSQL
import Synchronization

/// Reports of a list in the order of number and category, without reporter, network and comment.
public struct SortedReports: Sendable {
  let count: Int
  /// A time in each month that has reports.
  let times: [Date]
  /// Numbers that the numbering plan does not have.
  let unassigned: Set<Int64>
  /// Begins at the first report. Each call of the result returns at most so many further ones, and none at the end.
  let read: @Sendable () throws -> @Sendable (Int) throws -> [Report]

  public init(
    count: Int, times: [Date], unassigned: Set<Int64>,
    read: @escaping @Sendable () throws -> @Sendable (Int) throws -> [Report]
  ) {
    (self.count, self.times, self.unassigned, self.read) = (count, times, unassigned, read)
  }
}

/// The import of a list in the order of its numbers: ``ListAggregates`` computes the aggregates of each one.
///
/// A database without reports is filled in one transaction that builds the indexes last. COPY fills tables without indexes,
/// which costs a tenth of the processor time of ``ReportStore/accept(_:receivedAt:)``. Until the commit all other sessions
/// wait for these tables. An import that ends before has stored nothing.
///
/// If there are reports, or if the tables cannot be locked or filled, the reports are stored in batches with a transaction
/// each.
public struct BulkImport: Sendable {
  private struct NotEmpty: Error {}

  private let store: ReportStore
  private let appID: Int32
  private let lockTimeout: Int

  /// - Parameter lockTimeout: how long it waits for the tables, and others wait behind it, in milliseconds, 1 or more.
  public init(of appID: Int32, in store: ReportStore, lockTimeout: Int = 3_000) {
    (self.appID, self.store, self.lockTimeout) = (appID, store, lockTimeout)
  }

  /// Not for a cluster: use ``ReportStore/accept(_:receivedAt:)``.
  public var isPossible: Bool { get async throws { try await !store.nodes.isCluster } }

  /// Stores reports of the list.
  /// - Parameter progress: called with how many are done, counting those whose indexes are built, and with the total.
  /// - Returns: how many were stored already.
  public func run(
    _ reports: SortedReports, progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> Int {
    guard reports.count > 0 else { return 0 }
    try await store.partitions.prepare(for: reports.times)
    do {
      try await store.pool.withConnection { connection in
        guard try await isEmpty(connection) else { throw NotEmpty() }
        try await connection.transaction { try await fill($0, reports, progress) }
      }
      return 0
    } catch  where Self.leavesBatches(error) {
      return try await storeBatches(reports, progress)
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

  private func fill(
    _ connection: PostgresConnection, _ reports: SortedReports, _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws {
    try await connection.execute(script: "SET LOCAL lock_timeout = \(lockTimeout); \(Self.lock)")
    // Only now: a report that is stored later arrives later.
    let time = Date()
    guard try await isEmpty(connection) else { throw NotEmpty() }
    let held = reports.unassigned.sorted()
    if !held.isEmpty { _ = try await connection.run(SQL.holdUnassigned(numbers: held, time: time)) }
    let weight = try await connection.run(SQL.readSourceWeight(appID: appID)).first ?? 1
    // No row of a list, or hardly any, is in an index with a condition, and to build one reads the table.
    let indexes = try await connection.run(SQL.readIndexes(tables: Self.tables, withConditions: false))
    for index in indexes { try await connection.execute(script: index.drop) }

    var aggregates = ListAggregates(appID: appID)
    let (next, count) = (try reports.read(), reports.count)
    var stored = 0
    while case let batch = try next(20_000), !batch.isEmpty {
      var rows = PostgresCopyRows(capacity: batch.count * 96)
      for var report in batch {
        report.weight *= weight
        try rows.append(report, receivedAt: time)
        aggregates.add(report)
      }
      try await connection.copyIn(Self.copyReports, rows)
      for (sql, rows) in try aggregates.take().copies() { try await connection.copyIn(sql, rows) }
      stored += batch.count
      progress(Int(Double(stored) * Self.copyShare), count)
    }
    aggregates.finish()
    for (sql, rows) in try aggregates.take().copies() { try await connection.copyIn(sql, rows) }

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
    _ reports: SortedReports, _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws -> Int {
    let next = try reports.read()
    // Most lists are new. A report that is stored already ends the first COPY that has it; from then on they are looked up.
    var (done, duplicates, looksUp) = (0, 0, false)
    while case let batch = try next(15_000), !batch.isEmpty {
      do {
        duplicates += try await storeBatch(batch, looksUp)
      } catch let error as PostgresError where !looksUp && error.sqlState == "23505" {
        looksUp = true
        duplicates += try await storeBatch(batch, looksUp)
      }
      done += batch.count
      progress(done, reports.count)
    }
    return duplicates
  }

  /// - Parameter looksUp: whether reports may be stored already; else such a report is an error.
  /// - Returns: how many reports were not new.
  private func storeBatch(_ batch: [Report], _ looksUp: Bool) async throws -> Int {
    do {
      return try await store.pool.transaction { try await storeBatch(batch, looksUp, on: $0) }
    } catch let error as PostgresError where looksUp || error.sqlState != "23505" {
      // Another session is storing the same reports or numbers, or a month was dropped.
      return try await store.accept(batch, receivedAt: Date()).count { $0 != .created }
    }
  }

  /// Stores reports in the order of their numbers, in a transaction. COPY stores those that are new, and the sums of numbers
  /// that are new; it fails where another session stores them at the same time.
  /// - Returns: how many reports were not new.
  private func storeBatch(_ reports: [Report], _ looksUp: Bool, on connection: PostgresConnection) async throws -> Int {
    let time = Date()
    let numbers = Set(reports.map(\.number)).sorted()
    let unassigned = Set(reports.lazy.filter(\.isUnassigned).map(\.number)).sorted()
    var pipeline = PostgresPipeline()
    pipeline.add(SQL.useIndexes())
    let known = looksUp ? pipeline.add(SQL.findListReports(reports: reports, appID: appID)) : nil
    let knownNumbers = pipeline.add(SQL.findNumbers(numbers: numbers))
    let weights = pipeline.add(SQL.readSourceWeight(appID: appID))
    if !unassigned.isEmpty { pipeline.add(SQL.holdUnassigned(numbers: unassigned, time: time)) }
    let found = try await connection.run(pipeline)
    let (duplicates, stored) = (Set(try known.map(found.rows) ?? []), Set(try found.rows(knownNumbers)))
    let weight = try found.rows(weights).first ?? 1
    var aggregates = ListAggregates(appID: appID)
    var rows = PostgresCopyRows(capacity: reports.count * 96)
    for (index, report) in reports.enumerated() where !duplicates.contains(index + 1) {
      var report = report
      report.weight *= weight
      try rows.append(report, receivedAt: time + Double(index) / 1_000_000)
      aggregates.add(report)
    }
    aggregates.finish()
    let sums = aggregates.take()
    try await connection.copyIn(Self.copyReports, rows)
    if !stored.isEmpty { _ = try await connection.run(sums.filter(stored.contains).additions) }
    for (sql, rows) in try sums.filter({ !stored.contains($0) }).copies() { try await connection.copyIn(sql, rows) }
    return duplicates.count
  }

  /// The part of the time to fill the tables that passes before the first index is built, as measured.
  private static let copyShare = 0.55

  /// In the order in which ``SQL/acceptReports(_:receivedAt:in:)`` locks them.
  private static let tables = ["reports", "number_categories", "numbers", "number_sources"]

  // Sorting and building indexes takes more memory than other statements have.
  private static let lock = """
    LOCK TABLE \(tables.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE; SET LOCAL maintenance_work_mem = '128MB'
    """

  private static let copyReports = """
    COPY reports (number, app_id, report_id, reported_at, received_at, category_id, weight) FROM STDIN (FORMAT binary)
    """
}

extension PostgresCopyRows {
  /// A row of `reports`, for ``BulkImport``.
  fileprivate mutating func append(_ report: Report, receivedAt: Date) throws {
    try append { tuple in
      tuple.append(report.number)
      tuple.append(report.appID)
      tuple.append(report.reportID)
      tuple.append(report.reportedAt)
      tuple.append(receivedAt)
      tuple.append(report.category.rawValue)
      tuple.append(report.weight)
    }
  }
}

extension PostgresConnection {
  /// Feeds a binary COPY with encoded rows.
  /// - Returns: how many rows were stored.
  @discardableResult
  package func copyIn(_ sql: String, _ rows: PostgresCopyRows) async throws -> Int {
    let rest = Mutex<PostgresCopyRows?>(rows)
    return try await copyIn(sql) { rest.withLock { $0.take() } }
  }
}

/// An index or a key, as the commands that drop and create it.
package struct IndexDefinition: Sendable {
  package let drop: String
  package let create: String
  /// Relative time to build it after a first import; 0 for an index of blocks.
  let cost: Int
}

extension SQL {
  static func readAnyReport() -> Statement<Int64> {
    Statement("SELECT number FROM reports LIMIT 1")
  }

  /// A number with sums, if there is one.
  static func readAnyNumber() -> Statement<Int64> {
    Statement("SELECT number FROM numbers LIMIT 1")
  }

  /// The places, from 1 on, of reports that are stored already. The limit keeps one look-up for each from becoming a join.
  static func findListReports(reports: [Report], appID: Int32) -> Statement<Int> {
    Statement(
      """
      SELECT i.ordinal
      FROM unnest($1::bigint[], $2::uuid[], $3::timestamptz[]) WITH ORDINALITY AS i (number, report_id, reported_at, ordinal)
      CROSS JOIN LATERAL (
        SELECT 1 FROM reports r
        WHERE r.number = i.number AND r.app_id = $4::integer AND r.report_id = i.report_id AND r.reported_at = i.reported_at
        LIMIT 1
      ) known
      """,
      reports.map(\.number), reports.map(\.reportID), reports.map(\.reportedAt), appID
    ) { Int(try $0.decode(0, as: Int64.self)) }
  }

  static func findNumbers(numbers: [Int64]) -> Statement<Int64> {
    Statement("SELECT number FROM numbers WHERE number = ANY($1::bigint[])", numbers)
  }

  /// The weight of an imported list by the thresholds in force; no row where it is 1.
  static func readSourceWeight(appID: Int32) -> Statement<Float> {
    Statement(
      """
      SELECT weight FROM source_rules
      WHERE version = (SELECT max(version) FROM threshold_versions) AND app_id IN ($1, 0) ORDER BY app_id DESC LIMIT 1
      """,
      appID)
  }

  /// The indexes of tables with the definitions that they have at present. The definition of an index of a partitioned table
  /// names this table alone, without its partitions, unless ONLY is removed.
  /// - Parameter withConditions: whether to return indexes with a condition, too.
  static func readIndexes(tables: [String], withConditions: Bool) -> Statement<IndexDefinition> {
    Statement(
      """
      SELECT CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', x.indexrelid::regclass)
                  ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', x.indrelid::regclass, c.conname) END,
             CASE WHEN c.oid IS NULL THEN regexp_replace(pg_get_indexdef(x.indexrelid), ' ON ONLY ', ' ON ')
                  ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', x.indrelid::regclass, c.conname,
                              pg_get_constraintdef(c.oid)) END,
             CASE WHEN a.amname <> 'btree' THEN 0 WHEN x.indrelid = 'reports'::regclass THEN 2 ELSE 1 END
      FROM pg_index x
        JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_am a ON a.oid = i.relam
        LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.contype IN ('p', 'u', 'x')
      WHERE x.indrelid = ANY($1::text[]::regclass[]) AND ($2::boolean OR x.indpred IS NULL)
      ORDER BY x.indrelid, x.indexrelid
      """,
      tables, withConditions
    ) { row in
      IndexDefinition(
        drop: try row.decode(0), create: try row.decode(1), cost: Int(try row.decode(2, as: Int32.self)))
    }
  }
}
