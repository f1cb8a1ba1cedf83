// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
import PhoneNumbers
import PostgreSQL

/// How many numbers of a publication are in each class of remediations.
struct ListedClasses {
  private var numbers: [RemediationClass: [String: Int64]] = [:]

  /// Counts a listing by what it says itself.
  mutating func add(_ listing: Listing) {
    let origin =
      switch listing.cause {
      case .reports: "reports"
      case .decision: "decision"
      case .range: "range"
      }
    add(.origin, origin)
    add(.treatment, listing.treatment == .block ? "block" : "identify")
    add(.numberType, (PhoneNumber(digits: listing.number)?.kind ?? .unknown).rawValue)
  }

  private mutating func add(_ kind: RemediationClass, _ value: String, _ count: Int64 = 1) {
    numbers[kind, default: [:]][value, default: 0] += count
  }

  /// Counts listed numbers by what was reported about them, and replaces the stored counts.
  /// - Parameter connection: within the transaction that replaces the listings.
  mutating func write(at time: Date, on connection: PostgresConnection) async throws {
    for band in try await connection.run(SQL.countListedBands(day: ComplaintDays.day(of: time))) {
      add(.score, band.score, band.count)
      add(.age, band.age, band.count)
    }
    let rows = numbers.flatMap { kind, values in values.map { (kind: kind.rawValue, value: $0, count: $1) } }
    _ = try await connection.run(SQL.removeListedClasses())
    _ = try await connection.run(SQL.addListedClasses(rows))
  }
}

extension RemediationStore {
  /// The numbers of the newest publication by class; a class without numbers is missing.
  public func listedNumbers() async throws -> [RemediationClass: [String: Int64]] {
    try await pool.run("SELECT class, value, numbers FROM listed_classes") { row in
      (
        kind: try row.decode(0, as: String.self), value: try row.decode(1, as: String.self),
        numbers: try row.decode(2, as: Int64.self)
      )
    }.reduce(into: [:]) { found, row in
      if let kind = RemediationClass(rawValue: row.kind) { found[kind, default: [:]][row.value] = row.numbers }
    }
  }
}

extension SQL {
  /// Listed numbers with reports by bands of their reporters and of the last day of a complaint.
  fileprivate static func countListedBands(
    day: Int32
  ) -> Statement<(score: String, age: String, count: Int64)> {
    Statement(
      """
      SELECT CASE WHEN n.reporters < 5 THEN 'low' WHEN n.reporters < 50 THEN 'medium' ELSE 'high' END,
             CASE WHEN n.last_day >= DATE '1970-01-01' + ($1::integer - 7) THEN 'week'
                  WHEN n.last_day >= DATE '1970-01-01' + ($1::integer - 30) THEN 'month'
                  WHEN n.last_day >= DATE '1970-01-01' + ($1::integer - 90) THEN 'quarter' ELSE 'older' END,
             count(*)
      FROM listings l JOIN numbers n ON n.number = l.number GROUP BY 1, 2
      """,
      day
    ) { (score: try $0.decode(0), age: try $0.decode(1), count: try $0.decode(2)) }
  }

  fileprivate static func removeListedClasses() -> Statement<Void> { Statement("DELETE FROM listed_classes") }

  fileprivate static func addListedClasses(
    _ rows: [(kind: String, value: String, count: Int64)]
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO listed_classes (class, value, numbers)
      SELECT class, value, numbers FROM unnest($1::text[], $2::text[], $3::bigint[]) AS t (class, value, numbers)
      """,
      rows.map(\.kind), rows.map(\.value), rows.map(\.count))
  }
}
