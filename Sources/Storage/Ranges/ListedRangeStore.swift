// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Numbers that follow each other and that the newest publication lists because of one rule.
public struct ListedRange: Sendable, Equatable, Codable {
  public var first: Int64
  public var last: Int64
  public var category: Int16
  /// Whether they may be blocked; otherwise they are only identified.
  public var blocks: Bool
  /// The label that phones show; nil for the category's.
  public var label: String?
  /// The rule.
  public var pattern: String

  /// - Parameter numbers: the numbers of the rule that packs include.
  public init(_ numbers: ClosedRange<Int64>, blocks: Bool, rule: RangeRule) {
    (first, last, self.blocks) = (numbers.lowerBound, numbers.upperBound, blocks)
    (category, label, pattern) = (rule.category.rawValue, rule.label, rule.range.text)
  }

  init(
    first: Int64, last: Int64, category: Int16, blocks: Bool, label: String?, pattern: String
  ) {
    (self.first, self.last, self.category, self.blocks) = (first, last, category, blocks)
    (self.label, self.pattern) = (label, pattern)
  }

  public var numbers: ClosedRange<Int64> { first...last }
}

/// The ranges of the newest publication.
public struct ListedRangeStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// All ranges in ascending order, with the serial of the publication that has them; 0 where there is none.
  public func ranges() async throws -> (serial: Int64, ranges: [ListedRange]) {
    try await pool.withConnection { connection in
      let (serial, rows) = try await connection.pipeline(SQL.readListedSerial(), SQL.readListedRanges())
      return (serial.first ?? 0, rows.map(\.range))
    }
  }

  /// The serial of the newest publication; 0 where there is none. Its ranges change only with it.
  public func serial() async throws -> Int64 { try await pool.run(SQL.readListedSerial()).first ?? 0 }

  /// The numbers of all ranges, ascending.
  /// - Parameter connection: within a snapshot.
  package static func numbers(on connection: PostgresConnection) async throws -> [ClosedRange<Int64>] {
    try await connection.run(SQL.readListedRanges()).map(\.range.numbers)
  }

  /// Replaces the ranges by the ranges of a visible publication. A rule that was listed before keeps the time of its listing.
  /// - Parameter connection: within the transaction that records the publication.
  public static func replace(
    with ranges: [ListedRange], serial: Int64, at time: Date, on connection: PostgresConnection
  ) async throws {
    let former = try await connection.run(SQL.readListedRanges())
    if former.map(\.range) == ranges { return }
    let since = Dictionary(former.map { ($0.range.pattern, ($0.serial, $0.listedAt)) }) { first, _ in first }
    let rows = ranges.map { range in
      let (serial, time) = since[range.pattern] ?? (serial, time)
      return ListedRangeRow(range: range, serial: serial, listedAt: time)
    }
    _ = try await connection.run(SQL.deleteListedRanges(firsts: former.map(\.range.first)))
    for start in stride(from: 0, to: rows.count, by: 10_000) {
      _ = try await connection.run(SQL.addListedRanges(Array(rows[start..<min(start + 10_000, rows.count)])))
    }
  }

  /// Removes single numbers from the ranges.
  /// - Parameters:
  ///   - numbers: ascending.
  ///   - connection: within the transaction that records their removal.
  static func remove(_ numbers: [Int64], on connection: PostgresConnection) async throws {
    guard !numbers.isEmpty else { return }
    var (divided, parts): ([Int64], [ListedRangeRow]) = ([], [])
    for row in try await connection.run(SQL.readListedRanges()) {
      let holes = numbers.all(in: row.range.numbers)
      guard !holes.isEmpty else { continue }
      divided.append(row.range.first)
      parts += RangeMerge.subtract(holes.lazy.map { $0...$0 }, from: row.range.numbers).map { numbers in
        var part = row
        (part.range.first, part.range.last) = (numbers.lowerBound, numbers.upperBound)
        return part
      }
    }
    _ = try await connection.run(SQL.deleteListedRanges(firsts: divided))
    for start in stride(from: 0, to: parts.count, by: 10_000) {
      _ = try await connection.run(SQL.addListedRanges(Array(parts[start..<min(start + 10_000, parts.count)])))
    }
  }
}

/// A range with the beginning of its rule's listing.
struct ListedRangeRow: Sendable {
  var range: ListedRange
  let serial: Int64
  let listedAt: Date
}

extension SQL {
  private static let listedRangeColumns = """
    SELECT first_number, last_number, category_id, treatment = 0, label, pattern, serial, listed_at FROM listed_ranges
    """

  /// All ranges of the newest publication, ascending.
  static func readListedRanges() -> Statement<ListedRangeRow> {
    Statement("\(listedRangeColumns) ORDER BY first_number", decode: decodeListedRange)
  }

  private static func decodeListedRange(_ row: PostgresRow) throws -> ListedRangeRow {
    ListedRangeRow(
      range: ListedRange(
        first: try row.decode(0), last: try row.decode(1), category: try row.decode(2), blocks: try row.decode(3),
        label: try row.decode(4), pattern: try row.decode(5)),
      serial: try row.decode(6), listedAt: try row.decode(7))
  }

  static func readListedSerial() -> Statement<Int64> {
    Statement("SELECT coalesce(max(serial), 0) FROM publications WHERE state = 'published'")
  }

  static func deleteListedRanges(firsts: [Int64]) -> Statement<Void> {
    Statement("DELETE FROM listed_ranges WHERE first_number = ANY($1::bigint[])", firsts)
  }

  static func addListedRanges(_ rows: [ListedRangeRow]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO listed_ranges (first_number, last_number, category_id, treatment, label, pattern, serial, listed_at)
      SELECT t.first_number, t.last_number, t.category_id, t.treatment, nullif(t.label, ''), t.pattern, t.serial,
             to_timestamp(t.listed_at)
      FROM unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::smallint[], $5::text[], $6::text[], $7::bigint[],
                  $8::double precision[])
        AS t (first_number, last_number, category_id, treatment, label, pattern, serial, listed_at)
      """,
      rows.map(\.range.first), rows.map(\.range.last), rows.map(\.range.category),
      rows.map { Int16($0.range.blocks ? 0 : 1) }, rows.map { $0.range.label ?? "" }, rows.map(\.range.pattern),
      rows.map(\.serial), rows.map(\.listedAt.timeIntervalSince1970))
  }
}
