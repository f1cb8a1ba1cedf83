// SPDX-License-Identifier: Apache-2.0

public import PostgreSQL

/// The sources whose changes since the last publication a publication must know.
public struct PublicationSources: Sendable {
  /// Sources of which the last publication has no numbers: their first refresh, a change of their ceiling or the end of
  /// their suspension came after it.
  public private(set) var new: Set<Int32> = []
  /// Sources whose entries are being changed, or were when a refresh was interrupted, and sources that were never read.
  public private(set) var unfinished: Set<Int32> = []
  /// Removed sources whose numbers the last publication may have.
  public private(set) var removed: [Int32] = []
  /// The sources of ``new`` and ``removed`` that change no further: the next publication need not know them.
  private var settled: [Int32] = []

  /// No source has changed.
  public init() {}

  /// Reads the sources from a connection's snapshot.
  public init(on connection: PostgresConnection) async throws {
    for row in try await connection.run(SQL.readPublicationSources()) {
      if row.isRemoved {
        removed.append(row.id)
        if !row.hasEntries { settled.append(row.id) }
      } else if row.isUnfinished {
        unfinished.insert(row.id)
      } else {
        new.insert(row.id)
        settled.append(row.id)
      }
    }
  }

  /// Stores that a publication has the numbers of these sources.
  /// - Parameter connection: within the transaction that records the publication.
  public func settle(on connection: PostgresConnection) async throws {
    guard !settled.isEmpty else { return }
    try await connection.run(
      "UPDATE source_feeds SET awaits_publication = false WHERE app_id = ANY($1::integer[])", settled)
  }
}

extension PublicationStore {
  /// The numbers that the last publication lists because of reports and about which these sources complain or did, in no
  /// order.
  /// - Parameter connection: within the snapshot that is published.
  public static func listed(because sources: [Int32], on connection: PostgresConnection) async throws -> [Int64] {
    var numbers: [Int64] = []
    for try await batch in connection.stream(SQL.readListedOfSources(ids: sources)).batches { numbers += batch }
    return numbers
  }
}

extension SQL {
  static func readPublicationSources()
    -> Statement<(id: Int32, isRemoved: Bool, hasEntries: Bool, isUnfinished: Bool)>
  {
    Statement(
      """
      SELECT app_id, removed_at IS NOT NULL, entries > 0, refreshed_at IS NULL OR changing_sha256 IS NOT NULL
      FROM source_feeds
      WHERE awaits_publication OR (removed_at IS NULL AND (refreshed_at IS NULL OR changing_sha256 IS NOT NULL))
      """
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
  }

  /// The numbers listed because of reports about which sources complain or did. The row of a number in `number_sources`
  /// stays when its complaints are withdrawn.
  static func readListedOfSources(ids: [Int32]) -> Statement<Int64> {
    Statement(
      """
      SELECT l.number FROM listings l JOIN number_sources s ON s.number = l.number
      WHERE l.cause = 0 AND s.app_id = ANY($1::integer[])
      """,
      ids)
  }
}
