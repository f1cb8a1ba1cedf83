// SPDX-License-Identifier: Apache-2.0

public import Curation
import PostgreSQL

/// A source that is the publication of another server.
public struct Subscription: Sendable, Equatable {
  /// The list's id in `apps`.
  public let id: Int32
  /// The source's name.
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
    try await !pool.run(SQL.findSeenPublication(id: feed.id, serial: serial)).isEmpty
  }

  /// Stores that entries of a source change. Until ``succeed(_:with:next:)`` they are of no file, so that after an
  /// interruption an earlier file that comes back is read, and no limit of changes refuses the rest of the file.
  /// - Parameter digest: SHA-256 of the file; nil where they do not change to those of a file.
  public func beginChanges(of feed: Source, to digest: String? = nil) async throws {
    _ = try await pool.retrying { try await $0.run(SQL.beginChanges(id: feed.id, digest: digest)) }
  }

  /// Makes a source read its file again.
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
    let rows = try await pool.run(SQL.readOrigins(appIDs: [feed.id] + others.map(\.id), numbers: numbers))
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
