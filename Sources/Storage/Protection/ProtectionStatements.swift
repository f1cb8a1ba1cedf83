// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
import PostgreSQL

extension SQL {
  /// Protects patterns. Of protected ones it can only move an end of the same author to a later time.
  /// - Returns: those that it has changed.
  static func addProtectedPatterns(
    patterns: [String], reasons: [String], addedBy: String, time: Date, until: Date?, appID: Int32
  ) -> Statement<String> {
    Statement(
      protect("pattern", "text", in: "protected_patterns"), patterns, reasons, addedBy, time, until, appID)
  }

  /// Protects numbers, as ``addProtectedPatterns(patterns:reasons:addedBy:time:until:appID:)`` does patterns.
  static func addProtectedNumbers(
    numbers: [Int64], reasons: [String], addedBy: String, time: Date, until: Date?, appID: Int32
  ) -> Statement<Int64> {
    Statement(
      protect("number", "bigint", in: "protected_numbers"), numbers, reasons, addedBy, time, until, appID)
  }

  private static func protect(_ column: String, _ type: String, in table: String) -> String {
    """
    INSERT INTO \(table) (\(column), reason, added_by, added_at, expires_at, app_id)
    SELECT \(column), reason, $3, $4::timestamptz, $5::timestamptz, $6::integer
    FROM unnest($1::\(type)[], $2::text[]) AS t (\(column), reason)
    ORDER BY \(column)
    ON CONFLICT (\(column), app_id) DO UPDATE SET expires_at = excluded.expires_at
    WHERE \(table).added_by = excluded.added_by
      AND \(table).expires_at < coalesce(excluded.expires_at, 'infinity')
    RETURNING \(column)
    """
  }

  /// Removes the protection of a pattern by people.
  static func removeProtectedPattern(pattern: String) -> Statement<Protection> {
    Statement(
      """
      DELETE FROM protected_patterns WHERE pattern = $1 AND app_id = 0
      RETURNING pattern, reason, added_by, added_at, expires_at
      """,
      pattern, decode: decodeProtectedPattern)
  }

  /// Removes the protection of a number by people.
  static func removeProtectedNumber(number: Int64) -> Statement<(number: Int64, protection: Protection)> {
    Statement(
      """
      DELETE FROM protected_numbers WHERE number = $1 AND app_id = 0
      RETURNING \(protectedNumberColumns)
      """,
      number, decode: decodeReadProtectedNumbers)
  }

  static func removeSuppression(number: Int64) -> Statement<Int64> {
    Statement(
      "DELETE FROM protected_numbers WHERE number = $1 AND app_id = -1 RETURNING number", number)
  }

  /// Increments the version, so that servers discard their caches.
  static func bumpProtectionVersion() -> Statement<Void> {
    Statement("UPDATE protection_version SET version = version + 1")
  }

  /// Patterns: all, or those that match one number.
  static func readProtectedPatterns(only: Int64? = nil) -> Statement<Protection> {
    // Few of 2,000 patterns match one number, and a pattern is up to 1,200 blocks: a lookup must not build the blocks of
    // all.
    Statement(
      """
      SELECT pattern, reason, added_by, added_at, expires_at FROM protected_patterns
      WHERE $1::bigint IS NULL OR '+' || $1::bigint::text LIKE translate(pattern, 'x*', '_%')
      ORDER BY pattern, app_id
      """,
      only, decode: decodeProtectedPattern)
  }

  static func decodeProtectedPattern(_ row: PostgresRow) throws -> Protection {
    Protection(
      what: try row.decode(0), reason: try row.decode(1), addedBy: try row.decode(2), addedAt: try row.decode(3),
      expiresAt: try row.decode(4))
  }

  /// One number, where it is protected. A separate statement, because a cached plan of the one for all numbers would read
  /// all of them.
  static func readProtectedNumber(number: Int64) -> Statement<(number: Int64, protection: Protection)> {
    Statement(
      "SELECT \(protectedNumberColumns) FROM protected_numbers WHERE number = $1 ORDER BY app_id",
      number, decode: decodeReadProtectedNumbers)
  }

  /// All numbers in ascending order.
  static func readProtectedNumbers() -> Statement<(number: Int64, protection: Protection)> {
    Statement(
      "SELECT \(protectedNumberColumns) FROM protected_numbers ORDER BY number, app_id",
      decode: decodeReadProtectedNumbers)
  }

  /// The columns of ``decodeReadProtectedNumbers(_:)``.
  static let protectedNumberColumns = "number, reason, added_by, added_at, expires_at, app_id = -1"

  static func decodeReadProtectedNumbers(_ row: PostgresRow) throws -> (number: Int64, protection: Protection) {
    let number: Int64 = try row.decode(0)
    var protection = Protection(
      what: "+\(number)", reason: try row.decode(1), addedBy: try row.decode(2), addedAt: try row.decode(3),
      expiresAt: try row.decode(4))
    protection.isSuppression = try row.decode(5)
    return (number, protection)
  }

  /// Listed numbers in the blocks of patterns; one in several blocks is found for each.
  static func findListedOfProtected(firsts: [Int64], lasts: [Int64]) -> Statement<Int64> {
    // A comparison of each listed number with each pattern, or an order with a limit, takes minutes for a long list.
    Statement(
      """
      SELECT l.number FROM unnest($1::bigint[], $2::bigint[]) AS t (first, last)
      JOIN listings l ON l.number BETWEEN t.first AND t.last
      """,
      firsts, lasts)
  }

  /// Requests revocations of protected numbers, once for each.
  static func revokeProtected(ids: [UUID], numbers: [Int64], requestedBy: String, time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO revocations (revocation_id, number, action, reason, requested_by, requested_at)
      SELECT t.id, t.number, 'remove', 'The number is protected.', $3, $4::timestamptz
      FROM unnest($1::uuid[], $2::bigint[]) AS t (id, number)
      WHERE NOT EXISTS (
        SELECT 1 FROM revocations r WHERE r.number = t.number AND r.action = 'remove' AND r.settled_at IS NULL)
      ORDER BY t.number
      """,
      ids, numbers, requestedBy, time)
  }
}

/// A protected number or pattern.
public struct Protection: Sendable, Equatable {
  /// The number or pattern: `+`, digits, and in a pattern `x` or a final `*`.
  public let what: String
  /// Owner and reason, 1 to 200 characters.
  public let reason: String
  public let addedBy: String
  public let addedAt: Date
  public let expiresAt: Date?
  /// Whether the owner of the number has suppressed it.
  public var isSuppression = false
}

/// A number or pattern to be protected.
public enum ProtectionTarget: Sendable, Equatable {
  /// One number, by its E.164 digits.
  case number(Int64)
  case pattern(ProtectedPattern)

  /// Reads a number of any form, a short number of the region, or a pattern. Numbers outside the plans are refused.
  /// - Parameters:
  ///   - region: ISO 3166 code of national and short numbers; nil to read only international ones.
  ///   - isInternational: whether digits without a prefix are first read as an international number.
  /// - Throws: `ProtectedPatternError`.
  public init(reading text: String, region: String?, isInternational: Bool = false) throws(ProtectedPatternError) {
    do throws(PhoneNumberError) {
      let number = try PhoneNumber(parsing: text, region: region, isInternational: isInternational || region == nil)
      self = .number(number.digits)
    } catch {
      if let mask = error.mask {
        self = .pattern(try ProtectedPattern(mask))
      } else if text.contains(where: { "xX*".contains($0) }), text.contains(where: \.isNumber) {
        // Patterns may have an x before a digit, and be of numbers without a plan.
        guard case .pattern(let pattern) = try ProtectionTarget(text) else { throw .notANumber }
        self = .pattern(pattern)
      } else if let number = Self.shortNumber(text, region: region) {
        self = .number(number)
      } else {
        let isNational = error == .needsRegion || region == nil && text.utf8.count <= 6 && Int(text) != nil
        throw isNational ? .needsRegion : error == .tooLong ? .tooLong : .notANumber
      }
    }
  }

  /// The digits of a short or emergency number behind the calling code; nil for any other text.
  private static func shortNumber(_ text: String, region: String?) -> Int64? {
    let code = text.hasPrefix("+") ? "" : region.flatMap(PhoneRegion.init).map { "\($0.callingCode)" }
    guard let code, let digits = Int64(code + text.filter { !" +-".contains($0) }), ShortNumber(digits: digits) != nil
    else { return nil }
    return digits
  }

  /// - Parameter text: a stored number or pattern, in international form; see `ProtectedPattern`.
  /// - Throws: `ProtectedPatternError`.
  public init(_ text: String) throws(ProtectedPatternError) {
    let pattern = try ProtectedPattern(text)
    if let number = Int64(pattern.text.dropFirst()) {
      self = .number(number)
    } else {
      self = .pattern(pattern)
    }
  }

  /// The number or pattern in display form.
  public var text: String {
    switch self {
    case .number(let number): "+\(number)"
    case .pattern(let pattern): pattern.text
    }
  }
}

/// The reason why a number or pattern was not protected.
public enum ProtectionError: Error, Equatable, CustomStringConvertible {
  case tooManyPatterns(limit: Int)
  case tooManyNumbers(limit: Int)

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .tooManyPatterns(let limit):
      "There can be at most \(limit) patterns. Nothing was changed. Join several with x or *, or remove some."
    case .tooManyNumbers(let limit):
      "There can be at most \(limit) protected numbers. Nothing was changed. Protect blocks of numbers with patterns."
    }
  }
}
