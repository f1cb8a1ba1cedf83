// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
import PostgreSQL

extension SQL {
  /// Entries of a source after a number, in ascending order of numbers.
  static func readSourceEntries(appID: Int32, number: Int64, limit: Int) -> Statement<SourceEntry> {
    Statement(
      """
      SELECT number, category_id, reported_at, weight, complaints, origins, hops FROM source_entries
      WHERE app_id = $1 AND number > $2 ORDER BY number LIMIT $3::bigint
      """,
      appID, number, Int64(limit), decode: decodeSourceEntry)
  }

  /// The entries of these numbers in a source, in ascending order of numbers.
  static func findSourceEntries(appID: Int32, numbers: [Int64]) -> Statement<SourceEntry> {
    Statement(
      """
      SELECT number, category_id, reported_at, weight, complaints, origins, hops FROM source_entries
      WHERE app_id = $1 AND number = ANY($2::bigint[]) ORDER BY number
      """,
      appID, numbers, decode: decodeSourceEntry)
  }

  static func decodeSourceEntry(_ row: PostgresRow) throws -> SourceEntry {
    SourceEntry(
      number: try row.decode(0), category: try row.category(1), reportedAt: try row.decode(2),
      weight: try row.decode(3), complaints: Int(try row.decode(4, as: Int16.self)), origins: try row.decode(5),
      hops: Int(try row.decode(6, as: Int16.self)))
  }

  /// Stores entries of a source in place of earlier entries of their numbers.
  static func storeSourceEntries(appID: Int32, entries: [SourceEntry]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO source_entries AS e (app_id, number, category_id, reported_at, weight, complaints, origins, hops)
      SELECT $1::integer, t.number, t.category_id, t.reported_at, t.weight, t.complaints,
             string_to_array(t.origins, ','), t.hops
      FROM unnest($2::bigint[], $3::smallint[], $4::timestamptz[], $5::real[], $6::smallint[], $7::text[], $8::smallint[])
        AS t (number, category_id, reported_at, weight, complaints, origins, hops)
      ORDER BY t.number
      ON CONFLICT (app_id, number) DO UPDATE
        SET category_id = excluded.category_id, reported_at = excluded.reported_at, weight = excluded.weight,
          complaints = excluded.complaints, origins = excluded.origins, hops = excluded.hops
      """,
      appID, entries.map(\.number), entries.map(\.category.rawValue), entries.map(\.reportedAt), entries.map(\.weight),
      entries.map { Int16(clamping: $0.complaints) }, entries.map { $0.origins.joined(separator: ",") },
      entries.map { Int16($0.hops) })
  }

  /// Locks a source until the end of the transaction, so that only one process changes its entries.
  static func lockEntries(id: Int32) -> Statement<Int32> {
    Statement("UPDATE source_feeds SET generation = generation WHERE app_id = $1 RETURNING app_id", id) {
      try $0.decode(0)
    }
  }

  static func deleteSourceEntries(appID: Int32, numbers: [Int64]) -> Statement<Void> {
    Statement("DELETE FROM source_entries WHERE app_id = $1 AND number = ANY($2::bigint[])", appID, numbers)
  }

  /// Deletes and stores reports of a list, and changes the sums of their numbers, in one statement. Rows are locked in the
  /// order of ``acceptReports(_:receivedAt:in:)``. Where no report is left the sums become exactly 0. Days from which
  /// a report was deleted are counted by ``recountList(appID:numbers:)``.
  static func replaceListReports(
    appID: Int32, deleted: [ListReport], stored: [ListReport], receivedAt: Date
  ) -> Statement<Void> {
    Statement(
      """
      WITH gone AS (
        DELETE FROM reports r
        USING unnest($2::bigint[], $3::uuid[], $4::timestamptz[]) AS t (number, report_id, reported_at)
        WHERE r.number = t.number AND r.app_id = $1 AND r.report_id = t.report_id AND r.reported_at = t.reported_at
          AND r.withdrawn_at IS NULL
        RETURNING r.number, r.category_id, r.reported_at, r.weight
      ), inserted AS (
        INSERT INTO reports (number, app_id, report_id, reported_at, received_at, category_id, weight)
        SELECT number, $1::integer, report_id, reported_at, $10::timestamptz, category_id, weight
        FROM unnest($5::bigint[], $6::uuid[], $7::timestamptz[], $8::smallint[], $9::real[])
          AS t (number, report_id, reported_at, category_id, weight)
        ORDER BY number
        ON CONFLICT (number, app_id, report_id, reported_at) DO NOTHING
        RETURNING number, app_id, reported_at, received_at, category_id, reporter, weight, network
      ), said AS (
        \(ReportSQL.withDays("inserted"))
      ), change AS (
        SELECT number, category_id, reported_at, weight, 1 AS reports, 0 AS reporters, \(ReportSQL.marks)
        FROM said
        UNION ALL
        SELECT number, category_id, reported_at, -weight, -1, 0, NULL, NULL, NULL FROM gone
      ), delta AS (
        SELECT number, category_id, toxic, \(ReportSQL.storedSums(origin: "$11", heat: "$12", evidence: "$13")),
               \(ReportSQL.gatheredMarks), min(reported_at) AS first_reported_at, max(reported_at) AS last_reported_at
        FROM change JOIN categories USING (category_id)
        GROUP BY number, category_id, toxic
      ), by_category AS (
        INSERT INTO number_categories AS c (number, category_id, heat, evidence, reports, reporters)
        SELECT number, category_id, heat, evidence, reports, reporters FROM delta ORDER BY number, category_id
        ON CONFLICT (number, category_id) DO UPDATE SET
          heat = CASE WHEN c.reports + excluded.reports = 0 THEN 0 ELSE greatest(0, c.heat + excluded.heat) END,
          evidence = CASE WHEN c.reports + excluded.reports = 0 THEN 0 ELSE greatest(0, c.evidence + excluded.evidence) END,
          reports = c.reports + excluded.reports
      ), by_number AS (
        INSERT INTO numbers AS n
          (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at,
           last_day, day_bits, network_bits)
        SELECT number, \(ReportSQL.sums), min(first_reported_at), max(last_reported_at), \(ReportSQL.gatheredMarks)
        FROM delta GROUP BY number ORDER BY number
        ON CONFLICT (number) DO UPDATE SET
          heat = CASE WHEN n.reports + excluded.reports = 0 THEN 0 ELSE greatest(0, n.heat + excluded.heat) END,
          evidence = CASE WHEN n.reports + excluded.reports = 0 THEN 0 ELSE greatest(0, n.evidence + excluded.evidence) END,
          reports = n.reports + excluded.reports,
          first_reported_at = least(n.first_reported_at, excluded.first_reported_at),
          last_reported_at = greatest(n.last_reported_at, excluded.last_reported_at),
          day_bits = \(ReportSQL.mergedDays("n", "excluded")), last_day = greatest(n.last_day, excluded.last_day)
      )
      INSERT INTO number_sources AS s (number, app_id, complaints, heat, evidence, day_bits, last_day)
      \(ReportSQL.lists(of: "said", origin: "$11", heat: "$12", evidence: "$13")) ORDER BY number, app_id
      ON CONFLICT (number, app_id) DO UPDATE SET
        complaints = s.complaints + excluded.complaints, heat = s.heat + excluded.heat,
        evidence = s.evidence + excluded.evidence,
        day_bits = \(ReportSQL.mergedDays("s", "excluded")), last_day = greatest(s.last_day, excluded.last_day)
      """,
      appID, deleted.map(\.entry.number), deleted.map(\.id), deleted.map(\.entry.reportedAt),
      stored.map(\.entry.number),
      stored.map(\.id), stored.map(\.entry.reportedAt), stored.map(\.entry.category.rawValue),
      stored.map(\.entry.weight), receivedAt, Decay.origin, Decay.heat.timeConstant, Decay.evidence.timeConstant)
  }

  /// Counts a list's complaints about numbers again; the numbers' rows must be locked.
  static func recountList(appID: Int32, numbers: [Int64]) -> Statement<Void> {
    Statement(
      """
      WITH report AS (
        SELECT s.number, s.app_id, r.reporter, r.category_id, r.reported_at, r.received_at, r.weight
        FROM number_sources s
        LEFT JOIN reports r
          ON r.number = s.number AND r.app_id = s.app_id AND r.withdrawn_at IS NULL AND r.reporter IS NULL
        WHERE s.app_id = $1 AND s.number = ANY($2::bigint[])
      ), said AS (
        \(ReportSQL.withDays("report"))
      )
      UPDATE number_sources s SET complaints = r.complaints, heat = r.heat, evidence = r.evidence,
        day_bits = r.day_bits, last_day = r.last_day
      FROM (\(ReportSQL.lists(of: "said", origin: "$3", heat: "$4", evidence: "$5"))) r
      WHERE s.number = r.number AND s.app_id = r.app_id
      """,
      appID, numbers, Decay.origin, Decay.heat.timeConstant, Decay.evidence.timeConstant)
  }
}

/// A report of a source's entry.
struct ListReport: Sendable {
  let entry: SourceEntry
  let id: UUID

  /// The reports of an entry. Their ids differ for entries that differ in a report.
  static func all(of entry: SourceEntry, in appID: Int32) -> [ListReport] {
    let time = Int(entry.reportedAt.timeIntervalSince1970)
    return (0..<entry.complaints).map {
      let name =
        "source \(appID) \(entry.number) \(entry.category.rawValue) \(time) \(entry.weight) \(entry.complaints) \($0)"
      return ListReport(entry: entry, id: UUID(naming: name))
    }
  }
}

public struct SourceEntryChange: Sendable, Equatable {
  /// The stored entry; nil for a new one.
  public let old: SourceEntry?
  /// The entry in its place; nil where it is deleted.
  public let new: SourceEntry?

  /// Creates a value from its properties, of which one is not nil.
  public init(old: SourceEntry?, new: SourceEntry?) {
    (self.old, self.new) = (old, new)
  }

  /// Whether reports change, and not only origins.
  public var changesReports: Bool {
    guard let old, let new else { return true }
    return (old.category, old.reportedAt, old.weight, old.complaints)
      != (new.category, new.reportedAt, new.weight, new.complaints)
  }
}

extension ReportStore {
  /// The most entries that a transaction changes: locks on numbers are held for a fraction of a second.
  private static let entries = 2_000

  /// Changes entries of a source and their reports. Each transaction changes some entries completely, so that after any
  /// interruption the reports of a list agree with its entries.
  /// - Parameter changes: in ascending order of numbers, in which batches of reports lock them.
  /// - Throws: `SourceFailure.superseded` where another process has changed the entries since they were read;
  ///   `PostgresError`. Earlier transactions stay committed.
  public func change(_ changes: [SourceEntryChange], of appID: Int32, at time: Date) async throws {
    for start in stride(from: 0, to: changes.count, by: Self.entries) {
      let some = changes[start..<min(start + Self.entries, changes.count)]
      let reports = some.filter(\.changesReports)
      let deleted = reports.compactMap(\.old).flatMap { ListReport.all(of: $0, in: appID) }
      let stored = reports.compactMap(\.new).flatMap { ListReport.all(of: $0, in: appID) }
      let (entries, gone) = (some.compactMap(\.new), some.filter { $0.new == nil }.compactMap { $0.old?.number })
      let unassigned = Set(stored.map(\.entry.number)).filter { PhoneNumber(digits: $0)?.isValid != true }.sorted()
      let recounted = Array(Set(deleted.map(\.entry.number))).sorted()
      try await partitions.prepare(for: Set(stored.map(\.entry.reportedAt)))
      try await pool.transaction { connection in
        _ = try await connection.run(SQL.writeShardsInOrder())
        _ = try await connection.run(SQL.useIndexes())
        // A process that was suspended after its lease may still be in this transaction.
        _ = try await connection.run(SQL.lockEntries(id: appID))
        let numbers = some.compactMap { ($0.old ?? $0.new)?.number }
        let present = try await connection.run(SQL.findSourceEntries(appID: appID, numbers: numbers))
        // This call itself, whose commit was not acknowledged.
        if present == some.compactMap(\.new), present != some.compactMap(\.old) { return }
        guard present == some.compactMap(\.old) else { throw SourceFailure.superseded }
        if !unassigned.isEmpty { _ = try await connection.run(SQL.holdUnassigned(numbers: unassigned, time: time)) }
        if !deleted.isEmpty || !stored.isEmpty {
          _ = try await connection.run(
            SQL.replaceListReports(appID: appID, deleted: deleted, stored: stored, receivedAt: time))
        }
        if !recounted.isEmpty {
          _ = try await connection.run(SQL.recountList(appID: appID, numbers: recounted))
        }
        if !entries.isEmpty { _ = try await connection.run(SQL.storeSourceEntries(appID: appID, entries: entries)) }
        if !gone.isEmpty { _ = try await connection.run(SQL.deleteSourceEntries(appID: appID, numbers: gone)) }
      }
    }
  }
}
