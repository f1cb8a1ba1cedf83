// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// The personal numbers of a user.
struct ReadPersonalNumbers: PostgresStatement {
  let reporter: [UInt8]

  static let sql = """
    SELECT number, is_prefix, is_blocked, added_at FROM personal_numbers WHERE reporter = $1 ORDER BY number, is_prefix
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(reporter) }

  static func decode(_ row: PostgresRow) throws -> PersonalNumber {
    PersonalNumber(
      number: try row.decode(0), isPrefix: try row.decode(1), isBlocked: try row.decode(2), addedAt: try row.decode(3))
  }
}

/// Adds or changes a personal number; no row when the user has too many.
struct AddPersonalNumber: PostgresStatement {
  let entry: PersonalNumber
  let reporter: [UInt8]
  let keyID: Int32

  static let sql = """
    INSERT INTO personal_numbers (reporter, number, is_prefix, is_blocked, key_id, added_at)
    SELECT $1, $2, $3, $4, $5, $6
    WHERE (SELECT count(*) FROM personal_numbers WHERE reporter = $1 AND NOT (number = $2 AND is_prefix = $3))
      < $7::bigint
    ON CONFLICT (reporter, number, is_prefix) DO UPDATE SET is_blocked = excluded.is_blocked, key_id = excluded.key_id
    RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(reporter)
    parameters.append(entry.number)
    parameters.append(entry.isPrefix)
    parameters.append(entry.isBlocked)
    parameters.append(keyID)
    parameters.append(entry.addedAt)
    parameters.append(Int64(PersonalNumberStore.mostEntries))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Removes a personal number from one of the lists.
struct RemovePersonalNumber: PostgresStatement {
  typealias Row = Void

  let number: Int64
  let isPrefix: Bool
  let isBlocked: Bool
  let reporter: [UInt8]

  static let sql = """
    DELETE FROM personal_numbers WHERE reporter = $1 AND number = $2 AND is_prefix = $3 AND is_blocked = $4
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(reporter)
    parameters.append(number)
    parameters.append(isPrefix)
    parameters.append(isBlocked)
  }
}

/// Deletes the personal numbers that arrived with a key within a period.
struct WithdrawPersonalNumbers: PostgresStatement {
  typealias Row = Void

  let keyID: Int32
  let since: Date
  let until: Date

  static let sql = "DELETE FROM personal_numbers WHERE key_id = $1 AND added_at >= $2 AND added_at < $3"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(keyID)
    parameters.append(since)
    parameters.append(until)
  }
}

/// The keys that ended before a time.
struct ReadEndedKeys: PostgresStatement {
  let time: Date

  static let sql = "SELECT key_id FROM app_keys WHERE least(revoked_at, expires_at) < $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(time) }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Deletes the personal numbers of some keys.
struct PurgePersonalNumbers: PostgresStatement {
  typealias Row = Void

  let keyIDs: [Int32]

  static let sql = "DELETE FROM personal_numbers WHERE key_id = ANY($1::integer[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(keyIDs) }
}
