// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

extension PublicationStore {
  /// Replaces the listings by those of a visible publication; only changed rows are written.
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
    var next = wanted.next()
    var after: Int64 = 0
    var isEnd = false
    while !isEnd {
      let stored = try await connection.run(SQL.readListings(after: after, limit: ListingChange.batch))
      isEnd = stored.count < ListingChange.batch
      for (listing, hasSHA1) in stored {
        while let new = next, new.number < listing.number {
          try await change.add(new, on: connection)
          next = wanted.next()
        }
        guard let new = next, new.number == listing.number else {
          change.removed.append(listing.number)
          continue
        }
        if new != listing || !hasSHA1 { try await change.add(new, on: connection) }
        next = wanted.next()
      }
      after = stored.last?.listing.number ?? after
      try await change.write(on: connection)
    }
    while let new = next {
      try await change.add(new, on: connection)
      next = wanted.next()
    }
    try await change.write(on: connection)
    // The next queries of the listings need plans for their present size.
    if change.written >= largeChange { try await connection.execute(script: ListingSQL.newStatistics) }
  }

  /// Number of changed rows from which statistics are refreshed.
  private static let largeChange = 10_000

  /// Number of listed numbers.
  public func listingCount() async throws -> Int64 {
    try await pool.run(SQL.countListings()).first ?? 0
  }
}

/// Changes of the listings that are not written yet.
private struct ListingChange {
  /// The most rows that are read or written at once.
  static let batch = 20_000

  let serial: Int64
  let time: Date
  /// Numbers that are no longer listed.
  var removed: [Int64] = []
  private var added: [Listing] = []
  /// Number of rows written.
  private(set) var written = 0

  init(serial: Int64, time: Date) {
    (self.serial, self.time) = (serial, time)
  }

  /// Takes a new or changed listing.
  mutating func add(_ listing: Listing, on connection: PostgresConnection) async throws {
    added.append(listing)
    if added.count >= Self.batch { try await write(on: connection) }
  }

  mutating func write(on connection: PostgresConnection) async throws {
    if !removed.isEmpty { _ = try await connection.run(SQL.unlistNumbers(numbers: removed)) }
    if !added.isEmpty { _ = try await connection.run(SQL.addListed(listings: added, serial: serial, time: time)) }
    written += removed.count + added.count
    removed.removeAll(keepingCapacity: true)
    added.removeAll(keepingCapacity: true)
  }
}
