// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// A number of the newest publication, as a lookup by hash returns it.
public struct ListedHash: Sendable, Equatable {
  /// The complete hash, 32 bytes.
  public let hash: [UInt8]
  /// The number's category.
  public let category: ReportCategory
  /// The label that phones show.
  public let label: String
  /// Whether the number may be blocked; otherwise it may only be identified.
  public var mayBlock: Bool
}

/// Finds listed numbers by a prefix of their hash.
///
/// The index is in PostgreSQL and not in the server's memory: it changes in the same transaction as the listings, all
/// servers see the same state, and a lookup takes less than 1 ms with 2,000,000 numbers, which would take 26 MB of
/// memory in each server.
public struct HashLookupStore: Sendable {
  /// The most numbers in one answer: a prefix of four digits has 31 of 2,000,000.
  public static let mostEntries = 1_000

  private let pool: PostgresPool

  /// - Parameter pool: where listings are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The listed numbers with a prefix, in ascending order of hash.
  ///
  /// The newest packs decide whether a number may be blocked; later decisions, protections and appeals can only prevent
  /// it. So a number that an appeal has made a victim of spoofing (see `Spoofing`) is not blocked from now on.
  /// An appeal by itself changes nothing. A number that was protected since is left out at once.
  /// - Parameter time: the time for which appeals are evaluated.
  public func listed(_ prefix: NumberHashPrefix, at time: Date = Date()) async throws -> [ListedHash] {
    let found = try await find(SQL.findListedByHash(prefix: prefix), at: time)
    return found.map(\.listed).sorted { $0.hash.lexicographicallyPrecedes($1.hash) }
  }

  /// A listed number by the same rules as ``listed(_:at:)``; nil for a number that is not listed.
  /// - Parameters:
  ///   - number: E.164 digits.
  ///   - time: the time for which appeals are evaluated.
  public func listed(number: Int64, at time: Date = Date()) async throws -> ListedHash? {
    try await find(SQL.findListedNumber(number: number), at: time).first?.listed
  }

  private func find(_ statement: Statement<ListedCandidate>, at time: Date) async throws -> [ListedCandidate] {
    try await pool.withConnection { connection in
      var found = try await connection.run(statement)
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
  }
}
