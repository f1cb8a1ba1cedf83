// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Number of failed sign-ins of a subject: an account, a network or a browser, as a hash of 32 bytes.
public struct AttemptCount: Sendable, Equatable {
  public let subject: [UInt8]
  /// Failures that have not expired.
  public var failures: Int32
  public var lastAt: Date
  /// Attempts before this time are rejected unchecked.
  public var closedUntil: Date
}

extension AttemptCount {
  /// The count without what a clock that was ahead has set.
  fileprivate func bounded(at time: Date) -> AttemptCount {
    var count = self
    if !GatingTime.isRight(lastAt, at: time) { (count.failures, count.lastAt, count.closedUntil) = (0, time, time) }
    // The longest wait is a quarter of an hour.
    if !GatingTime.isRight(closedUntil, at: time + 3_600) { count.closedUntil = time }
    return count
  }
}

/// Counts failed sign-ins. Names and addresses are never stored, only keyed hashes.
public struct AttemptStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Reads and changes the counts of some subjects under a lock.
  /// - Parameter change: returns the new counts; nil leaves them as they are.
  /// - Returns: the counts as they were.
  @discardableResult
  public func update(
    _ subjects: [[UInt8]], at time: Date, _ change: @Sendable ([AttemptCount]) -> [AttemptCount]?
  ) async throws -> [AttemptCount] {
    try await pool.transaction { connection in
      let counts = try await connection.run(SQL.lockAttempts(subjects: subjects, time: time)).map {
        $0.bounded(at: time)
      }
      if let changed = change(counts) { _ = try await connection.run(SQL.saveAttempts(counts: changed)) }
      return counts
    }
  }

  /// Deletes the counts of subjects, and all counts older than ``RetainedData/attemptsKept``.
  public func forget(_ subjects: [[UInt8]], at time: Date) async throws {
    try await pool.run(
      "DELETE FROM sign_in_attempts WHERE subject = ANY($1::bytea[]) OR last_at < $2", subjects,
      time - RetainedData.attemptsKept)
  }

  /// Stores a browser with which an account has signed in.
  /// - Parameter token: the secret in the browser's cookie.
  public func remember(browser token: String, of id: Int32, at time: Date) async throws {
    try await pool.run(
      """
      WITH gone AS (
        DELETE FROM known_browsers WHERE account_id = $1 AND token_hash IN (
          SELECT token_hash FROM known_browsers WHERE account_id = $1 ORDER BY seen_at DESC OFFSET $4::bigint)
      )
      INSERT INTO known_browsers (account_id, token_hash, seen_at) VALUES ($1, $2, $3)
      ON CONFLICT (account_id, token_hash) DO UPDATE SET seen_at = excluded.seen_at
      """,
      id, Secret.hash(token), time, 10)
  }

  /// Whether an account of this name has signed in with a browser before.
  public func knows(browser token: String, of name: String) async throws -> Bool {
    try await !pool.run(
      """
      SELECT a.account_id FROM known_browsers b JOIN accounts a USING (account_id)
      WHERE a.name = $1 AND b.token_hash = $2
      """,
      name, Secret.hash(token)
    ) { try $0.decode(0, as: Int32.self) }.isEmpty
  }

  /// A new secret for a browser's cookie.
  public static func makeToken() -> String { Secret.make(prefix: "") }
}

extension SQL {
  /// Reads the counts of subjects and locks them until the transaction ends; new subjects start at 0.
  static func lockAttempts(subjects: [[UInt8]], time: Date) -> Statement<AttemptCount> {
    // The update changes nothing and locks the row.
    Statement(
      """
      INSERT INTO sign_in_attempts AS a (subject, failures, last_at, closed_until)
      SELECT subject, 0, $2, $2 FROM unnest($1::bytea[]) AS subject ORDER BY subject
      ON CONFLICT (subject) DO UPDATE SET failures = a.failures
      RETURNING subject, failures, last_at, closed_until
      """,
      subjects, time
    ) { row in
      AttemptCount(
        subject: try row.decode(0), failures: try row.decode(1), lastAt: try row.decode(2),
        closedUntil: try row.decode(3))
    }
  }

  static func saveAttempts(counts: [AttemptCount]) -> Statement<Void> {
    Statement(
      """
      UPDATE sign_in_attempts a SET failures = n.failures, last_at = n.last_at, closed_until = n.closed_until
      FROM unnest($1::bytea[], $2::int[], $3::timestamptz[], $4::timestamptz[])
        AS n (subject, failures, last_at, closed_until)
      WHERE a.subject = n.subject
      """,
      counts.map(\.subject), counts.map(\.failures), counts.map(\.lastAt), counts.map(\.closedUntil))
  }
}
