import Curation
import Foundation
import PostgreSQL

/// Protects patterns, or changes the reason of those that are.
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

/// Protects numbers, or changes the reason of those that are.
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

/// Takes a pattern's protection away.
struct RemoveProtectedPattern: PostgresStatement {
  let pattern: String

  static let sql = "DELETE FROM protected_patterns WHERE pattern = $1 RETURNING pattern"

  func bind(into parameters: inout PostgresParameters) { parameters.append(pattern) }

  static func decode(_ row: PostgresRow) throws -> String { try row.decode(0) }
}

/// Takes a number's protection away.
struct RemoveProtectedNumber: PostgresStatement {
  let number: Int64

  static let sql = "DELETE FROM protected_numbers WHERE number = $1 RETURNING number"

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Tells servers that what they remember is no longer right.
struct BumpProtectionVersion: PostgresStatement {
  typealias Row = Void
  static let sql = "UPDATE protection_version SET version = version + 1"
}

/// What the version is.
struct ReadProtectionVersion: PostgresStatement {
  static let sql = "SELECT version FROM protection_version"

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Patterns: all of them, or those that stand for one number.
struct ReadProtectedPatterns: PostgresStatement {
  var only: Int64?

  // Few of 2,000 stand for one number, and a pattern is up to 1,200 blocks: a look-up must not make them of all.
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

/// One number, where it is protected. Not by the way of all: a plan that is kept would read all of them.
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

/// Listed numbers that are protected by one of the numbers or patterns.
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

/// Asks for the removal of protected numbers before the next complete publication, once for each.
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
