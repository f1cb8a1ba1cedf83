// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Protects patterns, or changes the reason of protected ones.
struct AddProtectedPatterns: PostgresStatement {
  typealias Row = Void
  let patterns: [String]
  let reasons: [String]
  let addedBy: String
  let time: Date

  static let sql = """
    INSERT INTO protected_patterns (pattern, reason, added_by, added_at)
    SELECT pattern, reason, $3, $4::timestamptz FROM unnest($1::text[], $2::text[]) AS t (pattern, reason)
    ORDER BY pattern
    ON CONFLICT (pattern) DO UPDATE SET
      reason = excluded.reason, added_by = excluded.added_by, added_at = excluded.added_at
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(patterns)
    parameters.append(reasons)
    parameters.append(addedBy)
    parameters.append(time)
  }
}

/// Protects numbers, or changes the reason of protected ones.
struct AddProtectedNumbers: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]
  let reasons: [String]
  let addedBy: String
  let time: Date

  static let sql = """
    INSERT INTO protected_numbers (number, reason, added_by, added_at)
    SELECT number, reason, $3, $4::timestamptz FROM unnest($1::bigint[], $2::text[]) AS t (number, reason)
    ORDER BY number
    ON CONFLICT (number) DO UPDATE SET
      reason = excluded.reason, added_by = excluded.added_by, added_at = excluded.added_at
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(reasons)
    parameters.append(addedBy)
    parameters.append(time)
  }
}

/// Removes a pattern's protection.
struct RemoveProtectedPattern: PostgresStatement {
  let pattern: String

  static let sql = "DELETE FROM protected_patterns WHERE pattern = $1 RETURNING pattern"

  func bind(into parameters: inout PostgresParameters) { parameters.append(pattern) }

  static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
}

/// Removes a number's protection.
struct RemoveProtectedNumber: PostgresStatement {
  let number: Int64

  static let sql = "DELETE FROM protected_numbers WHERE number = $1 RETURNING number"

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Increments the version, so that servers discard their caches.
struct BumpProtectionVersion: PostgresStatement {
  typealias Row = Void
  static let sql = "UPDATE protection_version SET version = version + 1"
}

/// Reads the version.
struct ReadProtectionVersion: PostgresStatement {
  static let sql = "SELECT version FROM protection_version"

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Patterns: all, or those that match one number.
struct ReadProtectedPatterns: PostgresStatement {
  var only: Int64?

  // Few of 2,000 patterns match one number, and a pattern is up to 1,200 blocks: a lookup must not build the blocks of
  // all.
  static let sql = """
    SELECT pattern, reason, added_by, added_at FROM protected_patterns
    WHERE $1::bigint IS NULL OR '+' || $1::bigint::text LIKE translate(pattern, 'x*', '_%')
    ORDER BY pattern
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(only) }

  static func decode(_ row: PostgresRow) throws -> Protection {
    Protection(
      what: try row.decode(0), reason: try row.decode(1), addedBy: try row.decode(2), addedAt: try row.decode(3))
  }
}

/// One number, where it is protected. A separate statement, because a cached plan of the one for all numbers would read
/// all of them.
struct ReadProtectedNumber: PostgresStatement {
  let number: Int64

  static let sql = "SELECT number, reason, added_by, added_at FROM protected_numbers WHERE number = $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> ReadProtectedNumbers.Row { try ReadProtectedNumbers.decode(row) }
}

/// All numbers in ascending order.
struct ReadProtectedNumbers: PostgresStatement {
  static let sql = "SELECT number, reason, added_by, added_at FROM protected_numbers ORDER BY number"

  static func decode(_ row: PostgresRow) throws -> (number: Int64, protection: Protection) {
    let number: Int64 = try row.decode(0)
    return (
      number,
      Protection(
        what: "+\(number)", reason: try row.decode(1), addedBy: try row.decode(2), addedAt: try row.decode(3))
    )
  }
}

/// Listed numbers that the numbers or patterns protect.
struct FindListedOfProtected: PostgresStatement {
  let numbers: [Int64]
  let patterns: [String]
  let limit: Int

  static let sql = """
    SELECT number FROM listings
    WHERE number = ANY($1::bigint[])
      OR EXISTS (
        SELECT 1 FROM unnest($2::text[]) AS t (pattern)
        WHERE '+' || number::text LIKE translate(t.pattern, 'x*', '_%'))
    ORDER BY number LIMIT $3::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(patterns)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Requests revocations of protected numbers, once for each.
struct RevokeProtected: PostgresStatement {
  typealias Row = Void
  let ids: [UUID]
  let numbers: [Int64]
  let requestedBy: String
  let time: Date

  static let sql = """
    INSERT INTO revocations (revocation_id, number, action, reason, requested_by, requested_at)
    SELECT t.id, t.number, 'remove', 'The number is protected.', $3, $4::timestamptz
    FROM unnest($1::uuid[], $2::bigint[]) AS t (id, number)
    WHERE NOT EXISTS (
      SELECT 1 FROM revocations r WHERE r.number = t.number AND r.action = 'remove' AND r.settled_at IS NULL)
    ORDER BY t.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(ids)
    parameters.append(numbers)
    parameters.append(requestedBy)
    parameters.append(time)
  }
}
