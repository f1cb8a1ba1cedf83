// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import PostgreSQL

/// SQL that lookups and lists share. As in lookups by SHA-256, a number whose decision is no longer in force, and which
/// no pack blocks, is left out.
enum CallerSQL {
  static let columns = columns()

  /// - Parameters:
  ///   - listings: the source of the listings `l`.
  ///   - number: its number.
  ///   - label: the label of a listing.
  ///   - join: a further join.
  static func columns(
    of listings: String = "listings", number: String = "l.number", label: String = "NULL::text", join: String = ""
  ) -> String {
    """
    SELECT l.number, coalesce(r.category_id, l.category_id), coalesce(r.label, \(label)), r.decision, l.cause,
           l.treatment = 0, l.listed_at, coalesce(n.heat, 0), coalesce(n.evidence, 0), coalesce(n.legitimate, 0),
           r.number IS NULL AND l.treatment = 0 AND EXISTS (
             SELECT 1 FROM appeals a WHERE a.number = \(number) AND a.state <> 'rejected'),
           n.last_received_at
    FROM \(listings) l
    LEFT JOIN number_decisions r ON r.number = l.number
    LEFT JOIN numbers n ON n.number = l.number
    \(join)
    WHERE (r.number IS NOT NULL OR l.cause <> 1 OR l.treatment = 0)
    """
  }

  static func decode(_ row: PostgresRow) throws -> FoundCaller {
    let decision: String? = try row.decode(3)
    let isBlockListed: Bool = try row.decode(5)
    let caller = ListedCaller(
      number: try row.decode(0), category: try row.category(1), label: try row.decode(2),
      cause: decision == nil
        ? ListedNumber.Cause(rawValue: UInt8(try row.decode(4, as: Int16.self))) ?? .reports : .decision,
      mayBlock: isBlockListed && (decision == nil || decision == Decision.Treatment.block.rawValue),
      isAllowed: decision == Decision.Treatment.allow.rawValue, listedAt: try row.decode(6),
      storedHeat: try row.decode(7), storedEvidence: try row.decode(8), storedLegitimate: try row.decode(9))
    return FoundCaller(caller: caller, isAppealed: try row.decode(10), lastReceivedAt: try row.decode(11))
  }
}

/// A row of a lookup, before appeals and protection are evaluated.
struct FoundCaller: Sendable {
  var caller: ListedCaller
  /// Whether an appeal may prevent blocking the number.
  let isAppealed: Bool
  /// Not before the arrival of the number's last report.
  let lastReceivedAt: Date?
}

extension SQL {
  /// Listed numbers whose SHA-1 begins with the stored bytes of a prefix.
  static func findCallersBySHA1(prefix: NumberSHA1Prefix) -> Statement<FoundCaller> {
    let bounds = prefix.bounds
    return Statement(
      "\(CallerSQL.columns) AND l.sha1 BETWEEN $1 AND $2 LIMIT $3::bigint",
      bounds.least, bounds.greatest, Int64(HashLookupStore.maxEntries), decode: CallerSQL.decode)
  }

  static func findCaller(number: Int64) -> Statement<FoundCaller> {
    let columns = CallerSQL.columns(of: ListedSQL.ofNumber, number: "$1", label: "l.label")
    return Statement("\(columns) AND l.number = $1", number, decode: CallerSQL.decode)
  }
}

/// The hash of PhoneBlock's lookups: SHA-1 over the number with its plus, such as `+33199000248`.
///
/// PostgreSQL has no SHA-1, so listings have a column with the first eight bytes, which the server calculates.
public enum NumberSHA1 {
  /// The 20 bytes.
  /// - Parameter text: a number with its plus, or the beginning of one.
  public static func of(_ text: String) -> [UInt8] {
    Array(Insecure.SHA1.hash(data: Data(text.utf8)))
  }

  /// The first eight bytes in network byte order, as listings store them.
  /// - Parameter number: E.164 digits.
  static func stored(_ number: Int64) -> Int64 { stored("+\(number)") }

  /// The same of the digits of a number's beginning.
  public static func stored(_ text: String) -> Int64 { stored(of(text)) }

  static func stored(_ bytes: some Sequence<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }
}

/// The first bytes of a ``NumberSHA1``, or all of them.
public struct NumberSHA1Prefix: Sendable, Hashable {
  /// 2 to 20 bytes.
  public let bytes: [UInt8]

  /// - Parameter text: an even count of 4 to 40 hex digits in either case; anything else gives nil.
  public init?(_ text: some StringProtocol) {
    let digits = text.utf8.map(Self.value)
    guard (4...40).contains(digits.count), digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    bytes = stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
  }

  public var isComplete: Bool { bytes.count == 20 }

  /// - Parameter hash: see ``NumberSHA1/of(_:)``.
  public func matches(_ hash: [UInt8]) -> Bool { hash.starts(with: bytes) }

  /// The smallest and the greatest stored value with this prefix. The first bit is fixed, so both have the same sign.
  public var bounds: (least: Int64, greatest: Int64) {
    let rest = max(0, 8 - bytes.count)
    return (
      NumberSHA1.stored(bytes + [UInt8](repeating: 0, count: rest)),
      NumberSHA1.stored(bytes + [UInt8](repeating: 255, count: rest))
    )
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
