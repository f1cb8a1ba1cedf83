// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

/// Sums of calls that matched a list, by day and by one class at a time.
public struct RemediationStore: Sendable {
  let pool: PostgresPool

  init(pool: PostgresPool) { self.pool = pool }

  /// Counts batches in one transaction; when it returns, they are committed. Safe to call again with the same batches.
  /// - Returns: for each batch, in their order, whether it is new.
  /// - Throws: `PostgresError`; then nothing is counted or, when the error says that the commit is in doubt, everything
  ///   or nothing.
  public func accept(_ batches: [RemediationBatch]) async throws -> [Bool] {
    guard !batches.isEmpty else { return [] }
    return try await pool.transaction { connection in
      let marks = Set(
        batches.flatMap { batch in ([batch.mark] + batch.people).map { DayMark(day: batch.day, mark: $0) } })
      var fresh = Set(try await connection.run(SQL.rememberMarks(marks.sorted())))
      var sums: [SumPlace: (installations: Int64, tally: RemediationTally)] = [:]
      let answers = batches.map { batch in
        // Of two equal batches in one transaction the first one counts.
        guard fresh.remove(DayMark(day: batch.day, mark: batch.mark)) != nil else { return false }
        let people = batch.people.count { fresh.remove(DayMark(day: batch.day, mark: $0)) != nil }
        for (place, tally) in batch.sums {
          var sum = sums[place] ?? (0, .init())
          sum.tally += tally
          sum.installations += batch.sender == .apps ? 1 : place.kind.isEmpty ? Int64(people) : 0
          sums[place] = sum
        }
        return true
      }
      if !sums.isEmpty { _ = try await connection.run(SQL.addRemediations(sums.sorted { $0.key < $1.key })) }
      return answers
    }
  }

  /// The sums of a day and later.
  /// - Parameter onlyDays: whether sums by class are left out.
  public func sums(since day: Int32, onlyDays: Bool = false) async throws -> [RemediationFigures.Sum] {
    try await pool.run(
      """
      SELECT day, sender, class, value, installations, matched, blocked, labeled, overridden FROM remediation_sums
      WHERE day >= $1 AND (class = '' OR NOT $2)
      """,
      day, onlyDays
    ) { row -> RemediationFigures.Sum? in
      // A later server may know others.
      guard let sender = RemediationSender(rawValue: try row.decode(1)) else { return nil }
      let name: String = try row.decode(2)
      let kind = RemediationClass(rawValue: name)
      guard kind != nil || name.isEmpty else { return nil }
      return RemediationFigures.Sum(
        day: try row.decode(0), sender: sender, kind: kind, value: try row.decode(3), installations: try row.decode(4),
        tally: RemediationTally(
          matched: try row.decode(5), blocked: try row.decode(6), labeled: try row.decode(7),
          overridden: try row.decode(8)))
    }.compactMap(\.self)
  }

  /// The figures that pages show.
  /// - Parameters:
  ///   - onlyDays: whether sums by class are left out.
  ///   - bits: see ``RemediationFigures/init(_:of:at:bits:)``.
  public func figures(
    onlyDays: Bool = false, at now: Date, bits: (String) -> [UInt8]
  ) async throws -> RemediationFigures {
    let sums = try await sums(since: RemediationFigures.firstDay(at: now), onlyDays: onlyDays)
    return RemediationFigures(sums, at: now, bits: bits)
  }

  /// The names of all packs that were ever published, and of all lists.
  public func knownNames() async throws -> [RemediationClass: Set<String>] {
    try await pool.run(
      "SELECT true, name FROM publication_packs UNION SELECT false, name FROM apps WHERE is_list"
    ) { (isPack: try $0.decode(0, as: Bool.self), name: try $0.decode(1, as: String.self)) }
    .reduce(into: [.pack: [], .source: []]) { $0[$1.isPack ? .pack : .source]?.insert($1.name) }
  }
}

/// Counts of one day from one sender: checked, ready to be stored.
public struct RemediationBatch: Sendable, Equatable {
  /// Days since 1970-01-01.
  public let day: Int32
  public let sender: RemediationSender
  /// The name of the batch on its day, the same for every retry: 16 bytes.
  public let mark: [UInt8]
  /// Names on this day of those whose calls the server has counted itself, 16 bytes each; empty for counts of an app.
  public let people: [[UInt8]]
  fileprivate var sums: [SumPlace: RemediationTally] = [:]

  /// Adds the rows up by each class alone.
  public init(
    day: Int32, sender: RemediationSender, mark: [UInt8], people: [[UInt8]] = [], rows: [RemediationRow]
  ) {
    (self.day, self.sender, self.mark, self.people) = (day, sender, mark, people)
    for row in rows {
      let classes = row.classes.map { ($0.rawValue, $1) } + [("", "")]
      for (kind, value) in classes {
        sums[SumPlace(day: day, sender: sender.rawValue, kind: kind, value: value), default: .init()] += row.tally
      }
    }
  }
}

private struct DayMark: Hashable, Comparable, Sendable {
  let day: Int32
  let mark: [UInt8]

  static func < (a: Self, b: Self) -> Bool {
    a.day == b.day ? a.mark.lexicographicallyPrecedes(b.mark) : a.day < b.day
  }
}

private struct SumPlace: Hashable, Comparable, Sendable {
  let day: Int32
  let sender: String
  /// Empty for the sum of the day.
  let kind: String
  let value: String

  static func < (a: Self, b: Self) -> Bool { (a.day, a.sender, a.kind, a.value) < (b.day, b.sender, b.kind, b.value) }
}

extension SQL {
  /// Stores marks, in one order in all transactions; returns those that are new.
  fileprivate static func rememberMarks(_ marks: [DayMark]) -> Statement<DayMark> {
    Statement(
      """
      INSERT INTO remediation_marks (day, mark) SELECT day, mark FROM unnest($1::integer[], $2::bytea[]) AS t (day, mark)
      ORDER BY day, mark ON CONFLICT (day, mark) DO NOTHING RETURNING day, mark
      """,
      marks.map(\.day), marks.map(\.mark)
    ) { DayMark(day: try $0.decode(0), mark: try $0.decode(1)) }
  }

  /// Adds sums, which the caller has sorted, so that two transactions lock rows in the same order.
  fileprivate static func addRemediations(
    _ sums: [(key: SumPlace, value: (installations: Int64, tally: RemediationTally))]
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO remediation_sums AS s
        (day, sender, class, value, installations, matched, blocked, labeled, overridden)
      SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::bigint[], $9::bigint[])
      ON CONFLICT (day, sender, class, value) DO UPDATE SET
        installations = s.installations + excluded.installations, matched = s.matched + excluded.matched,
        blocked = s.blocked + excluded.blocked, labeled = s.labeled + excluded.labeled,
        overridden = s.overridden + excluded.overridden
      """,
      sums.map(\.key.day), sums.map(\.key.sender), sums.map(\.key.kind), sums.map(\.key.value),
      sums.map(\.value.installations), sums.map(\.value.tally.matched), sums.map(\.value.tally.blocked),
      sums.map(\.value.tally.labeled), sums.map(\.value.tally.overridden))
  }

  /// Deletes some marks of days before one.
  static func purgeRemediationMarks(before day: Int32, limit: Int) -> Statement<Void> {
    Statement(
      """
      DELETE FROM remediation_marks m
      USING (SELECT day, mark FROM remediation_marks WHERE day < $1 ORDER BY day LIMIT $2::bigint) old
      WHERE m.day = old.day AND m.mark = old.mark
      """,
      day, Int64(limit))
  }
}

extension RetentionStore {
  /// Deletes marks of days whose counts are no longer accepted.
  /// - Returns: the number of deleted rows.
  public func purgeRemediationMarks(before time: Date) async throws -> Int {
    try await repeatedly { SQL.purgeRemediationMarks(before: ComplaintDays.day(of: time), limit: $0) }
  }

  /// Deletes the sums of days before a time.
  /// - Returns: the number of deleted rows.
  public func purgeRemediationSums(before time: Date) async throws -> Int {
    try await pool.retrying {
      try await $0.runReportingCount(
        Statement<Void>("DELETE FROM remediation_sums WHERE day < $1", ComplaintDays.day(of: time)))
    }
  }
}
