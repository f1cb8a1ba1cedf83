// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Curation
public import Foundation
public import PostgreSQL

/// A number of the newest publication, as a lookup by hash returns it.
public struct ListedHash: Sendable, Equatable {
  /// The complete hash, 32 bytes.
  public let hash: [UInt8]
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
  public static let maxEntries = 1_000

  private let pool: PostgresPool
  private let nodes: ShardNodes

  public init(pool: PostgresPool) {
    self.pool = pool
    nodes = ShardNodes(pool: pool)
  }

  /// The listed numbers with a prefix, in ascending order of hash.
  ///
  /// The newest packs decide whether a number may be blocked; later decisions, protections and appeals can only prevent
  /// it. So a number that an appeal has made a victim of spoofing (see `Spoofing`) is not blocked from now on.
  /// An appeal by itself changes nothing. A number that was protected since is left out at once.
  /// - Parameter time: the time for which appeals are evaluated.
  public func listed(_ prefix: NumberHashPrefix, at time: Date = Date()) async throws -> [ListedHash] {
    let found = try await find(SQL.findListedByHash(prefix: prefix), in: pool, at: time)
    return found.map(\.listed).sorted { $0.hash.lexicographicallyPrecedes($1.hash) }
  }

  /// A listed number by the same rules as ``listed(_:at:)``; nil for a number that is not listed.
  /// - Parameters:
  ///   - number: E.164 digits.
  ///   - time: the time for which appeals are evaluated.
  public func listed(number: Int64, at time: Date = Date()) async throws -> ListedHash? {
    try await find(SQL.findListedNumber(number: number), in: try await nodes.reader(of: number), at: time).first?.listed
  }

  private func find(
    _ statement: Statement<ListedCandidate>, in reader: PostgresPool, at time: Date
  ) async throws -> [ListedCandidate] {
    var found = try await reader.withConnection { connection in
      var found = try await connection.run(statement)
      for number in found.filter(\.mayBeProtected).map(\.number)
      where try await ProtectionStore.rule(for: number, on: connection) != nil {
        found.removeAll { $0.number == number }
      }
      return found
    }
    let appealed = found.filter(\.isAppealed).map(\.number).sorted()
    guard !appealed.isEmpty else { return found }
    let victims = try await pool.withConnection {
      try await AppealStore.victims(at: time, numbers: appealed, on: $0)
    }
    for index in found.indices where victims.contains(found[index].number) { found[index].listed.mayBlock = false }
    return found
  }
}

/// The hash for private lookups: SHA-256 over the ASCII characters of the E.164 number with its plus and nothing else,
/// such as `+33199000248`.
///
/// An app sends the first 4 to 8 hex digits and compares the complete hash itself. **The server can learn:** which
/// app asked, when, from which network, and that the caller is one of the numbers whose hash has this prefix. With four
/// digits those are one in 65,536 of all numbers: some 15,000 of a thousand million that are in use, and among them,
/// with 2,000,000 numbers listed, about 31 listed ones. With eight digits it is one in 4,000 million: about as good as
/// the number itself. So apps should send four digits; more digits suit apps that trust the server and want short
/// answers. **It cannot learn:** which of those numbers called, and whether the app found it. By adding or leaving
/// out listed numbers, it could learn from a later report whether the app met one. Trying all numbers reverses a hash;
/// a prefix hides a number among others, but the hash is not a secret. An eavesdropper on the connection sees the
/// length of the answer, which is padded in steps.
public enum NumberHash {
  /// The 32 bytes.
  /// - Parameter number: E.164 digits.
  public static func of(_ number: Int64) -> [UInt8] {
    Array(SHA256.hash(data: Data("+\(number)".utf8)))
  }
}

/// The first 4 to 8 hex digits of a ``NumberHash``.
public struct NumberHashPrefix: Sendable, Hashable {
  /// Lowercase hex digits, 4 to 8.
  public let text: String

  /// - Parameter text: 4 to 8 lowercase hex digits; anything else gives nil, so that every prefix has one URL.
  public init?(_ text: String) {
    guard (4...8).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.text = text
  }

  /// The smallest and the greatest four bytes with this prefix.
  var bounds: (least: [UInt8], greatest: [UInt8]) { (padded("0"), padded("f")) }

  private func padded(_ digit: Character) -> [UInt8] {
    let value = UInt32(text + String(repeating: digit, count: 8 - text.utf8.count), radix: 16) ?? 0
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}

/// Listed numbers, except those that were allowed since, and those whose decision is no longer in
/// force and which no pack blocks.
enum ListedSQL {
  /// Whether packs block a listing `l`, and its number's decision `r` does not prevent that.
  static let mayBlock = "l.treatment = 0 AND coalesce(r.decision = 'block', true)"

  /// The condition on `listed_ranges` for the range that contains the number $1. Ranges do not overlap, so that only the
  /// last one that begins at or before the number can contain it.
  static let rangeOfNumber = """
    first_number = (SELECT max(first_number) FROM listed_ranges WHERE first_number <= $1) AND last_number >= $1
    """

  /// The listing of the number $1: its own, otherwise by the range that contains it.
  static let ofNumber = """
    (SELECT number, category_id, cause, treatment, serial, listed_at, NULL::text AS label FROM listings WHERE number = $1
     UNION ALL
     SELECT $1::bigint, category_id, 2::smallint, treatment, serial, listed_at, label FROM listed_ranges
     WHERE \(rangeOfNumber) AND NOT EXISTS (SELECT 1 FROM listings WHERE number = $1))
    """

  /// - Parameters:
  ///   - listings: the source of the listings `l`.
  ///   - number: its number.
  ///   - label: the label of a listing.
  ///   - condition: on `l`.
  static func find(
    in listings: String = "listings", number: String = "l.number", label: String = "NULL::text", where condition: String
  ) -> String {
    """
    SELECT l.number, coalesce(r.category_id, l.category_id), coalesce(r.label, \(label)),
           \(mayBlock),
           r.number IS NULL AND l.treatment = 0 AND EXISTS (
             SELECT 1 FROM appeals a WHERE a.number = \(number) AND a.state <> 'rejected'),
           EXISTS (SELECT 1 FROM protected_numbers p WHERE p.number = \(number))
             OR EXISTS (
               SELECT 1 FROM protected_patterns p WHERE '+' || l.number::text LIKE translate(p.pattern, 'x*', '_%'))
    FROM \(listings) l LEFT JOIN number_decisions r ON r.number = l.number
    WHERE \(condition)
      AND r.decision IS DISTINCT FROM 'allow'
      AND (r.number IS NOT NULL OR l.cause <> 1 OR l.treatment = 0)
    """
  }
}

struct ListedCandidate: Sendable {
  let number: Int64
  var listed: ListedHash
  /// Whether an appeal may prevent blocking the number.
  let isAppealed: Bool
  /// Whether a number or a pattern may protect it.
  let mayBeProtected: Bool
}

extension SQL {
  static func findListedByHash(prefix: NumberHashPrefix) -> Statement<ListedCandidate> {
    // The expression must equal the expression of the index listings_by_hash.
    let bounds = prefix.bounds
    return Statement(
      """
      \(ListedSQL.find(where: "substr(sha256(('+' || l.number::text)::bytea), 1, 4) BETWEEN $1 AND $2"))
      LIMIT $3::bigint
      """,
      bounds.least, bounds.greatest, Int64(HashLookupStore.maxEntries), decode: decodeListedCandidate)
  }

  static func decodeListedCandidate(_ row: PostgresRow) throws -> ListedCandidate {
    let number: Int64 = try row.decode(0)
    let category = try row.category(1)
    return ListedCandidate(
      number: number,
      listed: ListedHash(
        hash: NumberHash.of(number), category: category, label: try row.decode(2) ?? category.label,
        mayBlock: try row.decode(3)),
      isAppealed: try row.decode(4), mayBeProtected: try row.decode(5))
  }

  static func findListedNumber(number: Int64) -> Statement<ListedCandidate> {
    Statement(
      ListedSQL.find(in: ListedSQL.ofNumber, number: "$1", label: "l.label", where: "l.number = $1"),
      number, decode: decodeListedCandidate)
  }
}
