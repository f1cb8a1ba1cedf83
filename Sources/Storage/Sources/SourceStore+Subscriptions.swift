// SPDX-License-Identifier: Apache-2.0

public import Curation
import PostgreSQL

/// A source that is the publication of another server.
public struct Subscription: Sendable, Equatable {
  /// The list's id in `apps`.
  public let id: Int32
  public let name: String
  /// The id of the server; nil before its first publication was read.
  public let serverID: String?
  /// Whether it was read at least once.
  public let isRead: Bool
  /// The source's ceiling; ``SourceCeiling/nothing`` for a suspended one.
  public let ceiling: SourceCeiling
}

extension SourceStore {
  /// The subscriptions to other servers, in ascending order of their ids.
  public func subscriptions() async throws -> [Subscription] { try await pool.run(SQL.readSubscriptions()) }

  /// Stores the server of a subscription.
  /// - Throws: ``SourceFailure``: `sameServer` where another subscription has the server.
  public func assign(_ server: String, to feed: Source) async throws {
    try await pool.transaction { connection in
      let all = try await connection.run(SQL.lockSubscriptions())
      let others = all.filter { $0.id != feed.id }
      if let other = others.first(where: { $0.serverID == server }) {
        throw SourceFailure.sameServer(server: server, source: other.name)
      }
      _ = try await connection.run(SQL.setSourceServer(id: feed.id, server: server))
    }
  }

  /// Makes all other subscriptions read their files again after this one was read for the first time: evidence of its server
  /// that they pass on does not count any more. Not before, because numbers that only they list would be revoked.
  public func readOthersAgain(_ feed: Source) async throws {
    let others = try await subscriptions().filter { $0.id != feed.id }
    _ = try await pool.run(SQL.readAgain(ids: others.map(\.id)))
  }

  /// Stores a publication as the newest that was accepted, before its entries are stored.
  /// - Returns: false where a newer one was accepted before, or the source was removed.
  public func accept(_ seen: Source.SeenPublication, of feed: Source) async throws -> Bool {
    try await !pool.retrying { try await $0.run(SQL.acceptPublication(id: feed.id, seen: seen)) }.isEmpty
  }

  /// Whether the newest accepted publication has this serial: another process may have taken over the lease of one that
  /// was suspended.
  public func isNewest(_ serial: Int64, of feed: Source) async throws -> Bool {
    try await !pool.run(
      "SELECT app_id FROM source_feeds WHERE app_id = $1 AND removed_at IS NULL AND seen_serial = $2",
      feed.id, serial
    ) { try $0.decode(0, as: Int32.self) }.isEmpty
  }

  /// Stores that entries of a source change. Until ``succeed(_:with:next:)`` they are of no file, so that after an
  /// interruption an earlier file that comes back is read, and no limit of changes refuses the rest of the file.
  /// - Parameters:
  ///   - digest: SHA-256 of the file; nil if the entries do not change to the entries of a file.
  ///   - entries: the entries of the file; nil for as many as before.
  public func beginChanges(of feed: Source, to digest: String? = nil, entries: Int? = nil) async throws {
    let goal = Int64(entries ?? feed.state.entries)
    _ = try await pool.retrying { try await $0.run(SQL.beginChanges(id: feed.id, digest: digest, goal: goal)) }
  }

  /// Stores how many entries of a running refresh are done.
  public func note(progress entries: Int, of feed: Source) async throws {
    try await pool.run("UPDATE source_feeds SET progress = $2 WHERE app_id = $1", feed.id, Int64(entries))
  }

  public func readAgain(_ feed: Source) async throws { _ = try await pool.run(SQL.readAgain(ids: [feed.id])) }

  /// The origins of the entries that other sources have of numbers.
  ///
  /// A source cannot invent origins to displace entries of others. An entry with the evidence of its own server has brought
  /// only that. Entries of a suspended source, and of one with a lower ceiling than this source has, are left out.
  ///
  /// Where both this source and one of the same ceiling with a greater id have an entry, the origins of the other one are
  /// left out: of two sources that were refreshed at the same moment one withdraws its entry.
  /// - Parameters:
  ///   - numbers: some thousands at most.
  ///   - subscriptions: all subscriptions.
  public func origins(
    of numbers: [Int64], besides feed: Source, among subscriptions: [Subscription]
  ) async throws -> [Int64: Set<String>] {
    let ceiling = feed.isSuspended ? .nothing : feed.settings.ceiling
    let others = subscriptions.filter { $0.id != feed.id && $0.ceiling >= ceiling && $0.ceiling > .nothing }
    let sources = Dictionary(others.map { ($0.id, $0) }) { first, _ in first }
    let rows = try await pool.run(
      """
      SELECT number, app_id, origins FROM source_entries WHERE app_id = ANY($1::integer[]) AND number = ANY($2::bigint[])
      """,
      [feed.id] + others.map(\.id), numbers
    ) { row in
      (
        number: try row.decode(0, as: Int64.self), appID: try row.decode(1, as: Int32.self),
        origins: try row.decode(2, as: [String].self)
      )
    }
    let stored = Set(rows.filter { $0.appID == feed.id }.map(\.number))
    return rows.reduce(into: [:]) { found, row in
      guard let source = sources[row.appID],
        source.ceiling > ceiling || source.id < feed.id || !stored.contains(row.number)
      else { return }
      if let server = source.serverID, row.origins.contains(server) {
        found[row.number, default: []].insert(server)
      } else {
        found[row.number, default: []].formUnion(row.origins)
      }
    }
  }
}

extension SQL {
  /// The subscriptions to other servers, locked until the transaction ends.
  static func lockSubscriptions() -> Statement<Subscription> {
    Statement(
      subscriptions + " FOR NO KEY UPDATE", decode: decodeSubscription)
  }

  static func readSubscriptions() -> Statement<Subscription> {
    Statement(subscriptions, decode: decodeSubscription)
  }

  private static let subscriptions = """
    SELECT app_id, name, server_id, ceiling, suspended_at IS NOT NULL, refreshed_at IS NOT NULL FROM source_feeds
    WHERE format = 'ringfence' AND removed_at IS NULL ORDER BY app_id
    """

  static func decodeSubscription(_ row: PostgresRow) throws -> Subscription {
    let ceiling = SourceCeiling(rawValue: try row.decode(3)) ?? .nothing
    return Subscription(
      id: try row.decode(0), name: try row.decode(1), serverID: try row.decode(2), isRead: try row.decode(5),
      ceiling: try row.decode(4) ? .nothing : ceiling)
  }

  static func setSourceServer(id: Int32, server: String) -> Statement<Void> {
    Statement("UPDATE source_feeds SET server_id = $2 WHERE app_id = $1", id, server)
  }

  static func readAgain(ids: [Int32]) -> Statement<Void> {
    Statement(
      """
      UPDATE source_feeds SET list_sha256 = NULL, generation = generation + 1 WHERE app_id = ANY($1::integer[])
      """,
      ids)
  }

  /// Stores that entries of a source change: they are of no file until that ends.
  static func beginChanges(id: Int32, digest: String?, goal: Int64) -> Statement<Void> {
    Statement(
      """
      UPDATE source_feeds SET list_sha256 = NULL, changing_sha256 = $2, progress = 0, progress_goal = $3 WHERE app_id = $1
      """,
      id, digest, goal)
  }

  /// Stores the newest publication and root; no row where a newer one was accepted before. The manifest with the stored entity
  /// tag is an older one then.
  static func acceptPublication(id: Int32, seen: Source.SeenPublication) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET seen_serial = $2, seen_sha256 = $3, root_serial = $4, root = $5, etag = NULL
      WHERE app_id = $1 AND removed_at IS NULL AND coalesce(root_serial, 0) <= $4
        AND (seen_serial IS NULL OR seen_serial < $2 OR (seen_serial = $2 AND seen_sha256 = $3))
      RETURNING app_id
      """,
      id, seen.serial, seen.sha256, seen.rootSerial, seen.root)
  }
}
