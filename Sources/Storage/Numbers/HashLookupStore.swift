public import Curation
public import Foundation
public import PostgreSQL

/// A number that the newest publication lists, as a lookup by hash tells it.
public struct ListedHash: Sendable, Equatable {
  /// The whole hash, 32 bytes.
  public let hash: [UInt8]
  /// What the number is.
  public let category: ReportCategory
  /// What a phone shows.
  public let label: String
  /// Whether it may be blocked; otherwise it is only to be named.
  public var mayBlock: Bool
}

/// Finds listed numbers by the beginning of their hash.
///
/// The index lies in PostgreSQL and not in the server's memory: it changes in the same transaction as what is listed, all
/// servers see the same, and a look-up takes a fraction of a millisecond at 2,000,000 numbers, where the memory would be
/// 26 MB in each server.
public struct HashLookupStore: Sendable {
  /// The most numbers of one answer: a prefix of four digits has 31 of 2,000,000.
  public static let mostEntries = 1_000

  private let pool: PostgresPool

  /// - Parameter pool: where listings are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// What is listed under a prefix, in ascending order of hash.
  ///
  /// Whether a number may be blocked is what the newest packs say of it, with one haste: a number that an appeal has made
  /// a victim of spoofing since then (see `Spoofing`) is spared at once, where packs spare it from the next night on. An
  /// appeal by itself changes nothing. A number that is protected since then is left out at once.
  /// - Parameter time: what appeals are weighed at.
  public func listed(_ prefix: NumberHashPrefix, at time: Date = Date()) async throws -> [ListedHash] {
    let found = try await pool.withConnection { connection in
      var found = try await connection.run(FindListedByHash(prefix: prefix))
      for number in found.filter(\.mayBeProtected).map(\.number)
      where try await ProtectionStore.rule(for: number, on: connection) != nil {
        found.removeAll { $0.number == number }
      }
      let appealed = found.filter(\.isAppealed).map(\.number).sorted()
      guard !appealed.isEmpty else { return found }
      let victims = try await AppealStore.victims(at: time, numbers: appealed, on: connection)
      for index in found.indices where victims.contains(found[index].number) { found[index].listed.mayBlock = false }
      return found
    }
    return found.map(\.listed).sorted { $0.hash.lexicographicallyPrecedes($1.hash) }
  }
}
