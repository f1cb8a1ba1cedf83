// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// A number, or the beginning of numbers, that a user blocks or allows for calls to the user.
public struct PersonalNumber: Sendable, Equatable {
  /// Digits without the plus.
  public let number: Int64
  /// Whether the entry is for all numbers that begin with these digits.
  public let isPrefix: Bool
  /// Whether they are blocked; otherwise they are allowed.
  public let isBlocked: Bool
  public let addedAt: Date

  public init(number: Int64, isPrefix: Bool, isBlocked: Bool, addedAt: Date) {
    self.number = number
    self.isPrefix = isPrefix
    self.isBlocked = isBlocked
    self.addedAt = addedAt
  }
}

/// The personal lists of users. They change no score, and are deleted with the key that they arrived with.
public struct PersonalNumberStore: Sendable {
  /// The most entries of a user, blocked and allowed.
  public static let maxEntries = 1_000

  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The entries of a user in ascending order.
  /// - Parameter reporter: the pseudonym, 16 bytes.
  public func entries(of reporter: [UInt8]) async throws -> [PersonalNumber] {
    try await pool.run(SQL.readPersonalNumbers(reporter: reporter))
  }

  /// Adds an entry, or moves it to the other list. Safe to repeat.
  /// - Parameter keyID: the key of the request.
  /// - Returns: false when the user has ``maxEntries`` already.
  public func add(_ entry: PersonalNumber, of reporter: [UInt8], keyID: Int32) async throws -> Bool {
    try await !pool.run(
      """
      INSERT INTO personal_numbers (reporter, number, is_prefix, is_blocked, key_id, added_at)
      SELECT $1, $2, $3, $4, $5, $6
      WHERE (SELECT count(*) FROM personal_numbers WHERE reporter = $1 AND NOT (number = $2 AND is_prefix = $3))
        < $7::bigint
      ON CONFLICT (reporter, number, is_prefix) DO UPDATE SET is_blocked = excluded.is_blocked, key_id = excluded.key_id
      RETURNING number
      """,
      reporter, entry.number, entry.isPrefix, entry.isBlocked, keyID, entry.addedAt,
      Int64(PersonalNumberStore.maxEntries)
    ) { try $0.decode(0, as: Int64.self) }.isEmpty
  }

  /// Safe to repeat.
  public func remove(_ number: Int64, isPrefix: Bool, isBlocked: Bool, of reporter: [UInt8]) async throws {
    try await pool.run(
      """
      DELETE FROM personal_numbers WHERE reporter = $1 AND number = $2 AND is_prefix = $3 AND is_blocked = $4
      """,
      reporter, number, isPrefix, isBlocked)
  }
}

extension SQL {
  static func readPersonalNumbers(reporter: [UInt8]) -> Statement<PersonalNumber> {
    Statement(
      """
      SELECT number, is_prefix, is_blocked, added_at FROM personal_numbers WHERE reporter = $1 ORDER BY number, is_prefix
      """,
      reporter
    ) { row in
      PersonalNumber(
        number: try row.decode(0), isPrefix: try row.decode(1), isBlocked: try row.decode(2), addedAt: try row.decode(3)
      )
    }
  }

  /// Deletes the personal numbers that arrived with a key within a period.
  static func withdrawPersonalNumbers(keyID: Int32, since: Date, until: Date) -> Statement<Void> {
    Statement(
      "DELETE FROM personal_numbers WHERE key_id = $1 AND added_at >= $2 AND added_at < $3",
      keyID, since, until)
  }

  static func readEndedKeys(time: Date) -> Statement<Int32> {
    Statement("SELECT key_id FROM app_keys WHERE least(revoked_at, expires_at) < $1", time)
  }

  static func purgePersonalNumbers(keyIDs: [Int32]) -> Statement<Void> {
    Statement("DELETE FROM personal_numbers WHERE key_id = ANY($1::integer[])", keyIDs)
  }
}
