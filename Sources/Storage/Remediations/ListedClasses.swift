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
    let former = try await connection.run(SQL.readClassMeans())
    var means = rows.map { ClassMean(kind: $0.kind, value: $0.value, mean: Double($0.count), countedAt: time) }
    // The first publication has no mean before it.
    if let last = former.map(\.countedAt).max() {
      let kept = exp(-max(0, time.timeIntervalSince(last)) / (28 * 86_400))
      let known = Dictionary(former.map { ([$0.kind, $0.value], $0.mean * kept) }) { first, _ in first }
      for index in means.indices {
        means[index].mean *= 1 - kept
        means[index].mean += known[[means[index].kind, means[index].value], default: 0]
      }
      let present = Set(means.map { [$0.kind, $0.value] })
      means += known.filter { !present.contains($0.key) && $0.value >= 1 }.map {
        ClassMean(kind: $0.key[0], value: $0.key[1], mean: $0.value, countedAt: time)
      }
    }
    _ = try await connection.run(SQL.removeClassMeans())
    _ = try await connection.run(SQL.addClassMeans(means))
  }
}

/// The mean count of numbers of a class in the last four weeks, which counts older publications less and less.
private struct ClassMean {
  var kind: String
  var value: String
  var mean: Double
  /// The time of the publication.
  var countedAt: Date
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

  /// The mean counts of the last four weeks by class.
  public func meanNumbers() async throws -> [RemediationClass: [String: Double]] {
    try await pool.run(SQL.readClassMeans()).reduce(into: [:]) { found, row in
      if let kind = RemediationClass(rawValue: row.kind) { found[kind, default: [:]][row.value] = row.mean }
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

  fileprivate static func readClassMeans() -> Statement<ClassMean> {
    Statement("SELECT class, value, mean, counted_at FROM listed_class_means") { row in
      ClassMean(
        kind: try row.decode(0), value: try row.decode(1), mean: try row.decode(2), countedAt: try row.decode(3))
    }
  }

  fileprivate static func removeClassMeans() -> Statement<Void> { Statement("DELETE FROM listed_class_means") }

  fileprivate static func addClassMeans(_ means: [ClassMean]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO listed_class_means (class, value, mean, counted_at)
      SELECT * FROM unnest($1::text[], $2::text[], $3::double precision[], $4::timestamptz[])
      """,
      means.map(\.kind), means.map(\.value), means.map(\.mean), means.map(\.countedAt))
  }
}
