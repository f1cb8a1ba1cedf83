// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Export, erasure and restriction of everything that is stored under the pseudonyms of reporters.
///
/// There is no index by reporter, which would cost each report; each call reads all reports once.
public struct ErasureStore: Sendable {
  /// The table with the reports in ``export(_:)``.
  public static let reports = ReporterTable.reports.rawValue

  let pool: PostgresPool

  public init(pool: PostgresPool) { self.pool = pool }

  /// The rows under a pseudonym as JSON objects, by table.
  public func export(_ reporter: [UInt8]) async throws -> [(table: String, rows: [String])] {
    var pipeline = PostgresPipeline()
    let places = ReporterTable.allCases.map { ($0, pipeline.add(SQL.readReporterData($0, reporter: reporter))) }
    let results = try await pool.snapshot(pipeline)
    return try places.map { ($0.rawValue, try results.rows($1)) }
  }

  /// Withdraws and deletes the reports of reporters, and everything else under their pseudonyms. One transaction per number;
  /// safe to repeat. Data of reporters who came back after the time stays.
  /// - Parameter erased: each pseudonym with the time until which its reports arrived.
  /// - Returns: the number of deleted reports.
  public func erase(_ erased: [(reporter: [UInt8], until: Date)], at time: Date, audit: [AuditEvent]) async throws
    -> Int
  {
    let (reporters, ends) = (erased.map(\.reporter), erased.map(\.until))
    var numbers: [Int64: [ErasedReport]] = [:]
    for row in try await pool.run(SQL.readErasedReports(reporters: reporters, until: ends)) {
      numbers[row.number, default: []] += row.report.map { [$0] } ?? []
    }
    var deleted = 0
    for (number, reports) in numbers.sorted(by: { $0.key < $1.key }) {
      deleted += try await pool.transaction { connection in
        _ = try await connection.run(SQL.writeShardsInOrder())
        return try await connection.erase(reports, of: reporters, until: ends, about: number, at: time)
      }
    }
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.writeShardsInOrder())
      for table in ReporterTable.allCases where table.isFromBefore != nil {
        _ = try await connection.run(SQL.deleteReporterData(table, reporters: reporters, until: ends))
      }
      return .made(audit, ())
    }
    return deleted
  }

  /// Restricts the processing of reporters, or ends it: the weight of a restricted one stays 0.
  public func restrict(_ reporters: [[UInt8]], to isRestricted: Bool, at time: Date, audit: [AuditEvent]) async throws {
    _ = try await restrict(reporters, to: isRestricted, at: time) { _ in audit }
  }

  /// The same, with the events of the reporters whose restriction changed.
  /// - Returns: these reporters.
  public func restrict(
    _ reporters: [[UInt8]], to isRestricted: Bool, at time: Date, auditing events: @Sendable ([[UInt8]]) -> [AuditEvent]
  ) async throws -> [[UInt8]] {
    try await pool.change(at: time) { connection in
      let changed = try await connection.run(
        isRestricted
          ? SQL.restrictReporters(reporters: reporters, time: time) : SQL.releaseReporters(reporters: reporters))
      return .made(events(changed), changed)
    }
  }

  /// The erasures that would delete something: data of reporters who came back after the time does not count.
  /// - Parameter erased: each pseudonym with the time until which its reports arrived.
  public func pending(
    _ erased: [(reporter: [UInt8], until: Date)]
  ) async throws -> [(reporter: [UInt8], until: Date)] {
    var found = Set<[UInt8]>()
    for table in ReporterTable.allCases {
      let statement = SQL.readErasable(table, reporters: erased.map(\.reporter), until: erased.map(\.until))
      found.formUnion(try await pool.run(statement))
    }
    return erased.filter { found.contains($0.reporter) }
  }

  public func pseudonyms() async throws -> [[UInt8]] {
    var all = Set<[UInt8]>()
    for table in ReporterTable.allCases {
      for reporter in try await pool.run(SQL.readPseudonyms(of: table)) { all.insert(reporter) }
    }
    return Array(all)
  }
}

extension PostgresConnection {
  /// Erases reports about one number within a transaction.
  /// - Returns: the number of deleted reports.
  fileprivate func erase(
    _ reports: [ErasedReport], of reporters: [[UInt8]], until ends: [Date], about number: Int64, at time: Date
  ) async throws -> Int {
    for report in reports {
      let stored = StoredReport(number: number, reportedAt: report.reportedAt, withdrawnAt: nil)
      try await withdraw(stored, reportID: report.reportID, appID: report.appID, at: time)
    }
    if !reports.isEmpty {
      let remember = SQL.rememberErased(apps: reports.map(\.appID), reports: reports.map(\.reportID), time: time)
      _ = try await run(remember)
    }
    let deleted = try await run(SQL.deleteErasedReports(number: number, reporters: reporters, until: ends)).count
    for vote in try await run(SQL.deleteErasedVotes(number: number, reporters: reporters, until: ends)) {
      let part = AggregateChange(word: vote, weight: -1, reports: 0, reporters: vote.weight > 0 ? -1 : 0)
      _ = try await run(SQL.changeAggregates(number: number, parts: [part]))
    }
    // The times of the first and last report come from the remaining ones, where all of them are kept.
    if try await run(SQL.countBeyondRetention(after: number - 1, upTo: number)).first == 0 {
      try await repairAggregates(of: [number], at: time)
    }
    _ = try await run(SQL.recheckCases([number]))
    return deleted
  }
}

struct ErasedReport: Sendable {
  let appID: Int32
  let reportID: UUID
  let reportedAt: Date
}

/// The tables with pseudonyms.
enum ReporterTable: String, CaseIterable, Sendable {
  case reports
  case votes = "number_reporters"
  case records = "reporters"
  case weights = "reporter_weights"
  case vouched = "vouched_reporters"
  case attestations = "attested_reporters"
  case personalNumbers = "personal_numbers"
  case holds = "hold_reporters"
  case installations = "reporter_installations"

  /// Whether a row `t` is about a reporter: a link is about both of its sides.
  fileprivate func isAbout(_ reporter: String) -> String {
    self == .installations ? "\(reporter) IN (t.reporter, t.installation)" : "t.reporter = \(reporter)"
  }

  /// Whether a row `t` is from before `e.until`; nil for parts of sums. Rows of holds have no time: a later vote keeps them.
  fileprivate var isFromBefore: String? {
    let day = "(e.until AT TIME ZONE 'UTC')::date"
    return switch self {
    case .reports, .votes: nil
    case .records: "t.first_received_at <= e.until"
    // The weight of a restricted reporter stays, so that the restriction does.
    case .weights: "t.changed_at <= e.until AND t.restricted_at IS NULL"
    case .vouched: "t.vouched_on <= \(day)"
    case .attestations: "t.attested_on <= \(day) - DATE '1970-01-01'"
    case .personalNumbers: "t.added_at <= e.until"
    case .installations: "t.linked_at <= e.until"
    case .holds:
      """
      NOT EXISTS (SELECT 1 FROM number_reporters v
        WHERE v.number = t.number AND v.reporter = t.reporter AND v.received_at > e.until)
      """
    }
  }
}

extension SQL {
  /// $1 and $2: pseudonyms, and the time until which the reports of each arrived.
  private static let erased = "unnest($1::bytea[], $2::timestamptz[]) AS e (reporter, until)"

  /// The rows of a table under a pseudonym as JSON.
  static func readReporterData(_ table: ReporterTable, reporter: [UInt8]) -> Statement<String> {
    Statement(
      """
      SELECT (to_jsonb(t) - ARRAY['reporter', 'network', 'key_id', 'installation'])::text FROM \(table.rawValue) t
      WHERE \(table.isAbout("$1"))
      """,
      reporter)
  }

  static func readPseudonyms(of table: ReporterTable) -> Statement<[UInt8]> {
    Statement("SELECT DISTINCT reporter FROM \(table.rawValue) WHERE reporter IS NOT NULL")
  }

  /// The reporters of a table whose erasure would delete rows.
  static func readErasable(_ table: ReporterTable, reporters: [[UInt8]], until: [Date]) -> Statement<[UInt8]> {
    Statement(
      """
      SELECT DISTINCT e.reporter FROM \(table.rawValue) t JOIN \(erased) ON \(table.isAbout("e.reporter"))
      WHERE \(table.isFromBefore ?? "t.received_at <= e.until")
      """,
      reporters, until)
  }

  /// The reports to erase, withdrawn ones included, by number. A vote outlives its report where months were dropped: its
  /// number has a row without a report.
  static func readErasedReports(
    reporters: [[UInt8]], until: [Date]
  ) -> Statement<(number: Int64, report: ErasedReport?)> {
    Statement(
      """
      SELECT r.number, r.app_id, r.report_id, r.reported_at FROM \(erased)
      JOIN reports r ON r.reporter = e.reporter AND r.received_at <= e.until
      UNION ALL
      SELECT v.number, NULL, NULL, NULL FROM \(erased)
      JOIN number_reporters v ON v.reporter = e.reporter AND v.received_at <= e.until
      """,
      reporters, until
    ) { row in
      let report = try row.decode(1, as: Int32?.self).map { app in
        ErasedReport(appID: app, reportID: try row.decode(2), reportedAt: try row.decode(3))
      }
      return (try row.decode(0), report)
    }
  }

  /// Deletes the reports about a number; a row for each.
  static func deleteErasedReports(number: Int64, reporters: [[UInt8]], until: [Date]) -> Statement<Int64> {
    Statement(
      """
      DELETE FROM reports r USING \(erased)
      WHERE r.number = $3 AND r.reporter = e.reporter AND r.received_at <= e.until RETURNING r.number
      """,
      reporters, until, number)
  }

  /// Deletes the votes on a number that have no report any more.
  static func deleteErasedVotes(number: Int64, reporters: [[UInt8]], until: [Date]) -> Statement<Word> {
    Statement(
      """
      DELETE FROM number_reporters v USING \(erased)
      WHERE v.number = $3 AND v.reporter = e.reporter AND v.received_at <= e.until
      RETURNING v.category_id, v.reported_at, v.received_at, v.weight
      """,
      reporters, until, number
    ) { try $0.word() }
  }

  static func deleteReporterData(_ table: ReporterTable, reporters: [[UInt8]], until: [Date]) -> Statement<Void> {
    Statement(
      """
      DELETE FROM \(table.rawValue) t USING \(erased)
      WHERE \(table.isAbout("e.reporter")) AND \(table.isFromBefore ?? "false")
      """,
      reporters, until)
  }

  /// Fixes the weight of reporters at 0. A reporter who is restricted stays so since the first time.
  static func restrictReporters(reporters: [[UInt8]], time: Date) -> Statement<[UInt8]> {
    Statement(
      """
      INSERT INTO reporter_weights (reporter, weight, changed_at, restricted_at)
      SELECT reporter, 0, $2::timestamptz, $2::timestamptz FROM unnest($1::bytea[]) AS t (reporter) ORDER BY reporter
      ON CONFLICT (reporter) DO UPDATE SET
        weight = 0, changed_at = excluded.changed_at, restricted_at = excluded.restricted_at
      WHERE reporter_weights.restricted_at IS NULL
      RETURNING reporter
      """,
      reporters, time)
  }

  /// Ends the restriction of reporters: they weigh as newcomers until the next recount.
  static func releaseReporters(reporters: [[UInt8]]) -> Statement<[UInt8]> {
    Statement(
      "DELETE FROM reporter_weights WHERE reporter = ANY($1::bytea[]) AND restricted_at IS NOT NULL RETURNING reporter",
      reporters)
  }
}
