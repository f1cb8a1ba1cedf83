import Curation
import Foundation
import PostgreSQL

/// A line of a number's record: one of its categories with one of its lists.
struct RecordRow: Sendable {
  let record: NumberRecord
  let part: Standing.Part
  let source: SourceTally?
}

/// What the statements that read records share. Only what reports have listed stays by the leaving threshold.
private enum RecordSQL {
  static let columns = """
    n.number, n.day_bits, n.last_day - DATE '1970-01-01', n.network_bits, n.first_reported_at, n.last_reported_at,
    i.heat, l.number IS NOT NULL, c.category_id, c.heat, c.evidence, c.reports, c.reporters,
    s.app_id, s.complaints, s.day_bits, s.last_day - DATE '1970-01-01'
    """

  /// Behind the numbers `n`.
  static let joins = """
    JOIN number_categories c ON c.number = n.number
    LEFT JOIN number_sources s ON s.number = n.number
    LEFT JOIN listings l ON l.number = n.number AND l.cause = 0
    LEFT JOIN number_identifications i ON i.number = n.number
    """

  static func decode(_ row: PostgresRow) throws -> RecordRow {
    RecordRow(
      record: NumberRecord(
        number: try row.decode(0), standing: Standing(parts: []),
        days: ComplaintDays(bits: try row.bits(1), lastDay: try row.decode(2)),
        networks: NetworkSketch(bits: try row.bits(3)), identifications: try row.decode(6) ?? 0,
        isListed: try row.decode(7), firstReportedAt: try row.decode(4), lastReportedAt: try row.decode(5)),
      part: Standing.Part(
        category: try row.category(8), heat: try row.decode(9), evidence: try row.decode(10),
        reports: try row.decode(11), reporters: try row.decode(12)),
      source: try source(row))
  }

  private static func source(_ row: PostgresRow) throws -> SourceTally? {
    guard let appID = try row.decode(13, as: Int32?.self) else { return nil }
    return SourceTally(
      appID: appID, complaints: Int(try row.decode(14, as: Int32.self)),
      days: ComplaintDays(bits: try row.bits(15), lastDay: try row.decode(16)))
  }
}

/// The record of one number.
struct ReadRecord: PostgresStatement {
  let number: Int64

  static let sql = "SELECT \(RecordSQL.columns) FROM numbers n \(RecordSQL.joins) WHERE n.number = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
  }

  static func decode(_ row: PostgresRow) throws -> RecordRow { try RecordSQL.decode(row) }
}

/// What is stored of some numbers, in ascending order, those of less heat left out.
struct ReadRecordsOf: PostgresStatement {
  let numbers: [Int64]
  /// Stored heat, at least; 0 for all.
  let heat: Double

  static let sql = """
    SELECT \(RecordSQL.columns) FROM numbers n \(RecordSQL.joins)
    WHERE n.number = ANY($1::bigint[]) AND n.heat >= $2 ORDER BY n.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(heat)
  }

  static func decode(_ row: PostgresRow) throws -> RecordRow { try RecordSQL.decode(row) }
}

/// The records of all numbers that are hot enough to be judged, in ascending order of number.
///
/// It leaves out only what no threshold can list: whoever reads them judges them. Lines of one number follow each other.
struct ReadRecords: PostgresStatement {
  /// Stored heat, at least.
  let heat: Double

  static let sql = """
    SELECT \(RecordSQL.columns) FROM numbers n \(RecordSQL.joins) WHERE n.heat >= $1 ORDER BY n.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(heat)
  }

  static func decode(_ row: PostgresRow) throws -> RecordRow { try RecordSQL.decode(row) }
}

/// The records of the next hottest numbers after one of a known heat, hottest first, of equals the least number.
struct ReadHottest: PostgresStatement {
  /// Stored heat, at least.
  let heat: Double
  /// The last number that was read, with its stored heat; `.infinity` and 0 before the first.
  let after: (heat: Double, number: Int64)
  /// The most numbers.
  let limit: Int

  static let sql = """
    WITH hot AS (
      SELECT * FROM numbers
      WHERE heat >= $1 AND heat <= $2 AND (heat < $2 OR number > $3)
      ORDER BY heat DESC, number LIMIT $4::bigint
    )
    SELECT \(RecordSQL.columns), n.heat FROM hot n \(RecordSQL.joins) ORDER BY n.heat DESC, n.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(heat)
    parameters.append(after.heat)
    parameters.append(after.number)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> (row: RecordRow, heat: Double) {
    (try RecordSQL.decode(row), try row.decode(17))
  }
}

/// Puts a number's lines together again.
struct RecordAssembler {
  private var current: NumberRecord?

  /// Takes a line; returns the record before it when that is complete.
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
  /// A set of 64 bits.
  func bits(_ column: Int) throws -> UInt64 { UInt64(bitPattern: try decode(column, as: Int64.self)) }
}
