// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

extension PublicationStore {
  /// Replaces the listings by the listings of a visible publication; only changed rows are written.
  ///
  /// Compares both in ascending order of number, some rows at a time. A temporary table joined with the listings would
  /// not run on Citus.
  /// - Parameters:
  ///   - listings: ascending by number, each once; read once.
  ///   - connection: within a transaction.
  public static func replaceListings(
    with listings: some Sequence<Listing> & Sendable, serial: Int64, at time: Date, on connection: PostgresConnection
  ) async throws {
    var change = ListingChange(serial: serial, time: time)
    var wanted = listings.makeIterator()
    var classes = ListedClasses()
    func advance() -> Listing? {
      let next = wanted.next()
      if let next { classes.add(next) }
      return next
    }
    var next = advance()
    var after: Int64 = 0
    var isEnd = false
    while !isEnd {
      let stored = try await connection.run(SQL.readListings(after: after, limit: ListingChange.batch))
      isEnd = stored.count < ListingChange.batch
      for (listing, hasSHA1) in stored {
        while let new = next, new.number < listing.number {
          try await change.add(new, on: connection)
          next = advance()
        }
        guard let new = next, new.number == listing.number else {
          change.removed.append(listing.number)
          continue
        }
        if new != listing || !hasSHA1 { try await change.add(new, on: connection) }
        next = advance()
      }
      after = stored.last?.listing.number ?? after
      try await change.write(on: connection)
    }
    while let new = next {
      try await change.add(new, on: connection)
      next = advance()
    }
    try await change.write(on: connection)
    try await classes.write(at: time, on: connection)
    let renewed = try await connection.run(SQL.findRenewedDecisions())
    for start in stride(from: 0, to: renewed.count, by: ListingChange.batch) {
      let numbers = Array(renewed[start..<min(start + ListingChange.batch, renewed.count)])
      _ = try await connection.run(SQL.addStatements(numbers: numbers, serial: serial, time: time))
    }
    // The next queries of the listings need plans for their present size.
    if change.written >= largeChange { try await connection.execute(script: ListingSQL.newStatistics) }
  }

  /// The given numbers that a directory names.
  public func named(among numbers: [Int64]) async throws -> Set<Int64> {
    numbers.isEmpty ? [] : Set(try await pool.run(SQL.findNamedNumbers(numbers: numbers.sorted())))
  }

  /// Deletes the listings of numbers, and removes them from listed ranges.
  /// - Parameter connection: within the transaction that records the publication.
  public static func unlist(_ numbers: [Int64], at time: Date, on connection: PostgresConnection) async throws {
    for start in stride(from: 0, to: numbers.count, by: ListingChange.batch) {
      let batch = Array(numbers[start..<min(start + ListingChange.batch, numbers.count)])
      _ = try await connection.run(SQL.unlistNumbers(numbers: batch))
      _ = try await connection.run(SQL.endStatements(numbers: batch, time: time))
    }
    try await ListedRangeStore.remove(numbers, on: connection)
  }

  /// Number of changed rows from which statistics are refreshed.
  private static let largeChange = 10_000
}

/// Changes of the listings that are not written yet.
private struct ListingChange {
  /// The most rows that are read or written at once.
  static let batch = 20_000

  let serial: Int64
  let time: Date
  var removed: [Int64] = []
  private var added: [Listing] = []
  private(set) var written = 0

  init(serial: Int64, time: Date) {
    (self.serial, self.time) = (serial, time)
  }

  mutating func add(_ listing: Listing, on connection: PostgresConnection) async throws {
    added.append(listing)
    if added.count >= Self.batch { try await write(on: connection) }
  }

  mutating func write(on connection: PostgresConnection) async throws {
    if !removed.isEmpty {
      _ = try await connection.run(SQL.unlistNumbers(numbers: removed))
      _ = try await connection.run(SQL.endStatements(numbers: removed, time: time))
    }
    if !added.isEmpty {
      _ = try await connection.run(SQL.addListed(listings: added, serial: serial, time: time))
      _ = try await connection.run(SQL.addStatements(numbers: added.map(\.number), serial: serial, time: time))
    }
    written += removed.count + added.count
    removed.removeAll(keepingCapacity: true)
    added.removeAll(keepingCapacity: true)
  }
}

/// A number that the last publication blocks or identifies, except by a directory alone.
public struct Listing: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  public var category: ReportCategory
  public var cause: ListedNumber.Cause
  /// Whether it may be blocked.
  public var treatment: ListedNumber.Treatment

  public init(
    number: Int64, category: ReportCategory, cause: ListedNumber.Cause, treatment: ListedNumber.Treatment = .block
  ) {
    self.number = number
    self.category = category
    self.cause = cause
    self.treatment = treatment
  }
}

extension PublicationStore {
  /// The most numbers that a refresh of a source revokes. Where it is about more, all wait for the next publication, whose
  /// gates check them.
  public static let maxUnsupported = 500

  /// Revokes numbers that a source no longer contains where the last publication lists them because of reports, and their
  /// other support is not sufficient to block. A decision in force and an approved range keep a number.
  ///
  /// A publication in progress may list numbers that the last one does not. So while there is one, all numbers without
  /// sufficient support are revoked, where they are not too many.
  /// - Parameters:
  ///   - numbers: any count; the reports of the source are withdrawn.
  ///   - source: the source's name, for the reason.
  /// - Returns: the number of revocations; nil where there would be more than ``maxUnsupported``, and none was requested.
  public func revokeUnsupported(
    _ numbers: [Int64], because source: String, at time: Date
  ) async throws -> Int? {
    // First: a publication that ends after this has its numbers in the listings.
    let isPublishing = try await !pool.run(SQL.readRunning()).isEmpty
    var (unsupported, further): ([Int64], [Int64]) = ([], [])
    for start in stride(from: 0, to: numbers.count, by: Self.judged) {
      let found = try await self.unsupported(
        Array(Set(numbers[start..<min(start + Self.judged, numbers.count)])), isPublishing: isPublishing, at: time)
      unsupported += found.listed
      if further.count <= Self.maxUnsupported { further += found.further }
      guard unsupported.count <= Self.maxUnsupported else { return nil }
    }
    if unsupported.count + further.count <= Self.maxUnsupported { unsupported = (unsupported + further).sorted() }
    let revocations = unsupported.map { number in
      Revocation(
        number: number, action: .unlist, reason: "The source \(source) no longer contains the number.",
        requestedBy: "ringfence", requestedAt: time)
    }
    if !revocations.isEmpty { try await request(revocations, byProgram: true, at: time) }
    return revocations.count
  }

  private static let judged = 1_000

  /// - Parameter isPublishing: whether numbers that are not listed are judged too.
  private func unsupported(
    _ numbers: [Int64], isPublishing: Bool, at time: Date
  ) async throws -> (listed: [Int64], further: [Int64]) {
    try await pool.withConnection { connection in
      let present = Set(try await connection.run(SQL.readListedByReports(numbers: numbers)))
      let listed = (isPublishing ? numbers : Array(present)).sorted()
      guard !listed.isEmpty else { return ([], []) }
      let thresholds = try await ThresholdStore.current(on: connection).set
      let decided = Set(try await connection.run(SQL.readStandingDecisionsOf(numbers: listed)).map(\.number))
      let state = CurationState(rules: try await RangeStore.rules(at: time, on: connection))
      let records = try await NumberRecordStore.records(of: listed, on: connection)
      let supported = Set(
        records.filter { record in
          let country = RegionMap.countries.region(of: record.number)
          let evaluation = Score(record, at: time).evaluate(by: thresholds, in: OverrideState(country: country))
          // A revocation cannot leave a number in the packs that identify it, and remove it from the others.
          return evaluation.meetsThreshold && evaluation.ceiling >= .block
        }.map(\.number))
      let unsupported = listed.filter { number in
        !supported.contains(number) && !decided.contains(number)
          && state.rule(for: number) == nil
      }
      return (unsupported.filter(present.contains), unsupported.filter { !present.contains($0) })
    }
  }
}

/// SQL without parameters.
enum ListingSQL {
  static let newStatistics = "ANALYZE listings"
}

extension SQL {
  /// Some listings after a number, in ascending order.
  static func readListings(after: Int64, limit: Int) -> Statement<(listing: Listing, hasSHA1: Bool)> {
    Statement(
      """
      SELECT number, category_id, cause, treatment, sha1 IS NOT NULL FROM listings
      WHERE number > $1 ORDER BY number LIMIT $2::bigint
      """,
      after, Int64(limit)
    ) { row in
      /// - Returns: the listing, and whether its row has the SHA-1; rows of an earlier program do not have it.
      let listing = Listing(
        number: try row.decode(0), category: try row.category(1),
        cause: ListedNumber.Cause(rawValue: UInt8(try row.decode(2, as: Int16.self))) ?? .reports,
        treatment: try row.decode(3, as: Int16.self) == 0 ? .block : .identify)
      return (listing, try row.decode(4))
    }
  }

  /// Inserts new listings, and updates those with another category, cause or treatment; another treatment begins anew.
  static func addListed(listings: [Listing], serial: Int64, time: Date) -> Statement<Void> {
    storeListings(listings, serial: serial, time: time, updating: "cause = excluded.cause, ")
  }

  /// Inserts listings of numbers. A listed number keeps its cause; its category and treatment are updated, and another
  /// treatment begins anew.
  static func listNumbers(listings: [Listing], serial: Int64, time: Date) -> Statement<Void> {
    storeListings(listings, serial: serial, time: time)
  }

  /// - Parameter updating: more columns that are updated of a listed number.
  private static func storeListings(
    _ listings: [Listing], serial: Int64, time: Date, updating: String = ""
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO listings AS l (number, category_id, cause, treatment, serial, listed_at, sha1)
      SELECT t.number, t.category_id, t.cause, t.treatment, $5, $6, t.sha1
      FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::smallint[], $7::bigint[])
        t (number, category_id, cause, treatment, sha1)
      ORDER BY t.number
      ON CONFLICT (number) DO UPDATE
        SET category_id = excluded.category_id, \(updating)treatment = excluded.treatment,
            serial = CASE WHEN l.treatment = excluded.treatment THEN l.serial ELSE excluded.serial END,
            listed_at = CASE WHEN l.treatment = excluded.treatment THEN l.listed_at ELSE excluded.listed_at END,
            sha1 = excluded.sha1
      """,
      listings.map(\.number), listings.map(\.category.rawValue), listings.map { Int16($0.cause.rawValue) },
      listings.map { Int16($0.treatment.rawValue) }, serial, time, listings.map { NumberSHA1.stored($0.number) })
  }

  /// Some listings of an earlier program, which have no SHA-1.
  static func findListingsWithoutSHA1(limit: Int) -> Statement<Int64> {
    Statement(
      "SELECT number FROM listings WHERE sha1 IS NULL ORDER BY number LIMIT $1::bigint",
      Int64(limit))
  }

  static func addListingSHA1(numbers: [Int64]) -> Statement<Void> {
    Statement(
      """
      UPDATE listings l SET sha1 = t.sha1 FROM unnest($1::bigint[], $2::bigint[]) AS t (number, sha1)
      WHERE l.number = t.number
      """,
      numbers, numbers.map(NumberSHA1.stored(_:)))
  }
}
