// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// A row of a number's record: one of its categories with one of its lists.
struct RecordRow: Sendable {
  let record: NumberRecord
  let part: NumberAggregate.Part
  let source: SourceTally?
  /// Not before the arrival of the number's last report; read for single numbers.
  var lastReceivedAt: Date? = nil
}

/// SQL that the statements that read records share. The `leave` limit applies only to numbers that reports have listed.
private enum RecordSQL {
  static let columns = """
    n.number, n.day_bits, n.last_day - DATE '1970-01-01', n.network_bits, n.first_reported_at, n.last_reported_at,
    i.heat, l.number IS NOT NULL, c.category_id, c.heat, c.evidence, c.reports, c.reporters,
    s.app_id, s.complaints, s.day_bits, s.last_day - DATE '1970-01-01', s.heat, s.evidence,
    l.treatment IS NOT DISTINCT FROM 0, n.last_received_at, v.failed, v.passed, d.number IS NOT NULL
    """

  /// Joins to the numbers `n`.
  /// - Parameter numbers: the condition of the numbers with a column of theirs; all by default.
  static func joins(_ numbers: (_ column: String) -> String = { _ in "true" }) -> String {
    """
    JOIN number_categories c ON c.number = n.number
    LEFT JOIN number_sources s ON s.number = n.number
    LEFT JOIN listings l ON l.number = n.number AND l.cause = 0
    LEFT JOIN number_identifications i ON i.number = n.number
    LEFT JOIN (\(VerificationSQL.calls(of: numbers))) v ON v.number = n.number
    LEFT JOIN (
      SELECT DISTINCT t.number FROM number_sources t
      JOIN directory_entries e ON e.number = t.number JOIN directory_sources f ON f.generation = e.generation
      WHERE \(numbers("t.number")) AND \(numbers("e.number"))
    ) d ON d.number = n.number
    """
  }

  static func decode(_ row: PostgresRow) throws -> RecordRow {
    var record = NumberRecord(
      number: try row.decode(0), standing: NumberAggregate(parts: []),
      days: ComplaintDays(bits: try row.bits(1), lastDay: try row.decode(2)),
      networks: NetworkSketch(bits: try row.bits(3)), identifications: try row.decode(6) ?? 0,
      isListed: try row.decode(7), isBlocked: try row.decode(19), firstReportedAt: try row.decode(4),
      lastReportedAt: try row.decode(5))
    record.calls = VerifiedCalls(
      failed: Int(try row.decode(21, as: Int64?.self) ?? 0), passed: Int(try row.decode(22, as: Int64?.self) ?? 0))
    record.isNamed = try row.decode(23)
    return RecordRow(
      record: record,
      part: NumberAggregate.Part(
        category: try row.category(8), heat: try row.decode(9), evidence: try row.decode(10),
        reports: try row.decode(11), reporters: try row.decode(12)),
      source: try source(row), lastReceivedAt: try row.decode(20))
  }

  private static func source(_ row: PostgresRow) throws -> SourceTally? {
    guard let appID = try row.decode(13, as: Int32?.self) else { return nil }
    return SourceTally(
      appID: appID, complaints: Int(try row.decode(14, as: Int32.self)), heat: try row.decode(17),
      evidence: try row.decode(18), days: ComplaintDays(bits: try row.bits(15), lastDay: try row.decode(16)))
  }
}

enum VerificationSQL {
  /// How many reporters of trusted senders had calls that failed and passed, of numbers with failed ones; see
  /// ``VerifiedCalls``.
  /// - Parameters:
  ///   - numbers: the condition of the numbers with a column of theirs.
  ///   - condition: of the reports `r`.
  static func calls(of numbers: (_ column: String) -> String, where condition: String = "true") -> String {
    """
    SELECT r.number, count(DISTINCT r.reporter) FILTER (WHERE r.verification = 2) AS failed,
           count(DISTINCT r.reporter) FILTER (WHERE r.verification = 1) AS passed
    FROM numbers m JOIN reports r ON r.number = m.number
    WHERE m.has_failed_calls AND r.verification IN (1, 2) AND r.withdrawn_at IS NULL
      AND \(numbers("m.number")) AND \(numbers("r.number")) AND \(condition)
    GROUP BY r.number
    """
  }
}

extension SQL {
  /// The verified calls of a number in reports that arrived before a time.
  static func readVerifiedCalls(number: Int64, before: Date) -> Statement<VerifiedCalls> {
    let calls = VerificationSQL.calls(of: { "\($0) = $1" }, where: "r.received_at < $2")
    return Statement("SELECT failed, passed FROM (\(calls)) v", number, before) {
      VerifiedCalls(failed: Int(try $0.decode(0, as: Int64.self)), passed: Int(try $0.decode(1, as: Int64.self)))
    }
  }

  /// Marks numbers of reports whose calls failed verification; their rows are locked by the batch.
  static func markFailedCalls(numbers: [Int64], in tables: TableNames) -> Statement<Void> {
    Statement(
      """
      UPDATE \(tables["numbers"]) SET has_failed_calls = true WHERE number = ANY($1::bigint[]) AND NOT has_failed_calls
      """, numbers)
  }

  static func readRecord(number: Int64) -> Statement<RecordRow> {
    Statement(
      "SELECT \(RecordSQL.columns) FROM numbers n \(RecordSQL.joins { "\($0) = $1" }) WHERE n.number = $1",
      number, decode: RecordSQL.decode)
  }

  /// The records of some numbers with at least a stored heat, in ascending order.
  /// - Parameter heat: The least stored heat; 0 for all.
  static func readRecordsOf(numbers: [Int64], heat: Double) -> Statement<RecordRow> {
    Statement(
      """
      SELECT \(RecordSQL.columns) FROM numbers n \(RecordSQL.joins { "\($0) = ANY($1::bigint[])" })
      WHERE n.number = ANY($1::bigint[]) AND n.heat >= $2 ORDER BY n.number
      """,
      numbers, heat, decode: RecordSQL.decode)
  }
}

/// The records of all numbers with enough heat to be evaluated, in ascending order of number, without the time of their
/// first report.
///
/// Only numbers that no threshold can list are left out; the caller evaluates the others. Rows of one number follow
/// each other. A COPY, for millions of rows: PostgreSQL continues while they are read, and uses several cores.
struct CopyRecords {
  /// The least stored heat.
  let floor: HeatFloor
  /// Numbers below this heat are included only with so many identified calls; both are stored values.
  let cut: (heat: Double, identifications: Double)?

  private static let columns = """
    n.number, n.day_bits, n.last_day - DATE '1970-01-01' AS last_day, n.network_bits, n.last_reported_at,
    i.heat AS identifications, l.number IS NOT NULL AS is_listed, c.category_id, c.heat, c.evidence, c.reports,
    c.reporters, s.app_id, s.complaints, s.day_bits AS list_bits, s.last_day - DATE '1970-01-01' AS list_day,
    s.heat AS list_heat, s.evidence AS list_evidence, l.treatment IS NOT DISTINCT FROM 0 AS is_blocked,
    v.failed, v.passed, d.number IS NOT NULL AS is_named
    """

  private static let records = "SELECT \(columns) FROM numbers n \(RecordSQL.joins())"

  /// COPY takes no parameters; these values are numbers of the program.
  var sql: String {
    let isAbove = """
      (n.heat >= '\(floor.heat)'::float8
       OR n.heat >= '\(floor.reported)'::float8 AND (n.reporters >= \(floor.reporters) OR l.number IS NOT NULL))
      """
    var query = "\(Self.records) WHERE \(isAbove)"
    if let cut {
      query += """
         AND n.heat >= '\(cut.heat)'::float8
        UNION ALL \(Self.records) WHERE \(isAbove) AND n.heat < '\(cut.heat)'::float8
          AND i.heat >= '\(cut.identifications)'::float8
        """
    }
    return "COPY (\(query) ORDER BY 1) TO STDOUT (FORMAT binary)"
  }

  static func read(_ tuple: inout PostgresTuple) throws -> RecordRow {
    let number = tuple.int64() ?? 0
    let days = (bits: tuple.int64() ?? 0, last: tuple.int32())
    let networks = tuple.int64() ?? 0
    let lastReportedAt = tuple.timestamp()
    let (identifications, isListed) = (tuple.double() ?? 0, tuple.bool() ?? false)
    let category = tuple.int16() ?? 0
    let part = (heat: tuple.double() ?? 0, evidence: tuple.double() ?? 0)
    let counts = (reports: tuple.int64() ?? 0, reporters: tuple.int32() ?? 0)
    let list = (app: tuple.int32(), complaints: tuple.int32() ?? 0)
    let listDays = (bits: tuple.int64() ?? 0, last: tuple.int32())
    let listSums = (heat: tuple.double() ?? 0, evidence: tuple.double() ?? 0)
    let isBlocked = tuple.bool() ?? false
    guard let known = ReportCategory(rawValue: category) else { throw StorageError.unknownCategory(id: category) }
    var record = NumberRecord(
      number: number, standing: NumberAggregate(parts: []),
      days: ComplaintDays(bits: UInt64(bitPattern: days.bits), lastDay: days.last),
      networks: NetworkSketch(bits: UInt64(bitPattern: networks)), identifications: identifications,
      isListed: isListed, isBlocked: isBlocked, lastReportedAt: lastReportedAt)
    record.calls = VerifiedCalls(failed: Int(tuple.int64() ?? 0), passed: Int(tuple.int64() ?? 0))
    record.isNamed = tuple.bool() ?? false
    return RecordRow(
      record: record,
      part: NumberAggregate.Part(
        category: known, heat: part.heat, evidence: part.evidence, reports: counts.reports,
        reporters: counts.reporters),
      source: list.app.map { app in
        SourceTally(
          appID: app, complaints: Int(list.complaints), heat: listSums.heat, evidence: listSums.evidence,
          days: ComplaintDays(bits: UInt64(bitPattern: listDays.bits), lastDay: listDays.last))
      })
  }
}

extension SQL {
  /// The size of a sample of the numbers with enough heat, and the heat of the sampled number at a rank. The sample is
  /// about 1 % of the table's blocks.
  /// - Parameter floor: The least stored heat.
  /// - Parameter rank: The number of sampled numbers with more heat.
  static func sampleHeats(above floor: HeatFloor, rank: Int) -> Statement<(count: Int, heat: Double?)> {
    Statement(
      """
      WITH sample AS MATERIALIZED (
        SELECT heat FROM numbers TABLESAMPLE SYSTEM (1) REPEATABLE (1)
        WHERE heat >= $1 OR heat >= $2 AND reporters >= $3::integer
      )
      SELECT (SELECT count(*) FROM sample), (SELECT heat FROM sample ORDER BY heat DESC OFFSET $4::bigint LIMIT 1)
      """,
      floor.heat, floor.reported, Int32(floor.reporters), Int64(rank)
    ) { (Int(try $0.decode(0, as: Int64.self)), try $0.decode(1)) }
  }

  /// The same for the heat of identified calls, without the size.
  /// - Parameter rank: The number of sampled numbers with more calls.
  static func sampleIdentifications(rank: Int) -> Statement<Double> {
    Statement(
      """
      SELECT heat FROM number_identifications TABLESAMPLE SYSTEM (1) REPEATABLE (1)
      ORDER BY heat DESC OFFSET $1::bigint LIMIT 1
      """,
      Int64(rank))
  }
}

/// Assembles a number's rows into its record.
struct RecordAssembler {
  private var current: NumberRecord?

  static func record(of rows: [RecordRow]) -> NumberRecord? {
    var assembler = RecordAssembler()
    for row in rows { _ = assembler.take(row) }
    return assembler.finish()
  }

  /// Takes a row; returns the record before it when that is complete.
  mutating func take(_ row: RecordRow) -> NumberRecord? {
    var complete: NumberRecord?
    if current?.number != row.record.number {
      complete = finish()
      current = row.record
    }
    if let count = current?.standing.parts.count {
      if count == 0 || current?.standing.parts[count - 1].category != row.part.category {
        if current?.standing.parts.contains(where: { $0.category == row.part.category }) == false {
          current?.standing.parts.append(row.part)
        }
      }
    }
    if let source = row.source, current?.sources.contains(where: { $0.appID == source.appID }) == false {
      current?.sources.append(source)
    }
    return complete
  }

  /// The last record.
  mutating func finish() -> NumberRecord? {
    defer { current = nil }
    current?.standing.parts.sort { $0.category.rawValue < $1.category.rawValue }
    current?.sources.sort { $0.appID < $1.appID }
    return current
  }
}

extension PostgresRow {
  func bits(_ column: Int) throws -> UInt64 { UInt64(bitPattern: try decode(column, as: Int64.self)) }
}

extension PostgresRow {
  func category(_ column: Int) throws -> ReportCategory {
    let id: Int16 = try decode(column)
    guard let category = ReportCategory(rawValue: id) else { throw StorageError.unknownCategory(id: id) }
    return category
  }
}
