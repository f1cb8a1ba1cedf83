// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

extension PublicationStore {
  /// Replaces the listings by those of a visible publication; only changed rows are written.
  /// - Parameters:
  ///   - listings: ascending by number, each once; read once.
  ///   - connection: within a transaction.
  public static func replaceListings(
    with listings: some Sequence<Listing> & Sendable, serial: Int64, at time: Date, on connection: PostgresConnection
  ) async throws {
    try await connection.execute(script: ListingSQL.table)
    try await connection.copyIn(ListingSQL.copy, rows: ListingRows(listings: listings))
    try await connection.execute(script: ListingSQL.statistics)
    let removed = try await connection.runReportingCount(RemoveUnlisted())
    let added = try await connection.runReportingCount(AddListed(serial: serial, time: time))
    // The next queries of the listings need plans for their present size.
    if removed + added >= largeChange { try await connection.execute(script: ListingSQL.newStatistics) }
  }

  /// Number of changed rows from which statistics are refreshed.
  private static let largeChange = 10_000

  /// Number of listed numbers.
  public func listingCount() async throws -> Int64 {
    try await pool.run(CountListings()).first ?? 0
  }
}

private struct ListingRows<Listings: Sequence<Listing> & Sendable>: Sequence, Sendable {
  let listings: Listings

  func makeIterator() -> AnyIterator<ListingRow> {
    var iterator = listings.makeIterator()
    return AnyIterator { iterator.next().map(ListingRow.init) }
  }
}
