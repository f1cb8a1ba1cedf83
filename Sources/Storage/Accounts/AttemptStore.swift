// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Number of failed sign-ins of a subject: an account, a network or a browser, as a hash of 32 bytes.
public struct AttemptCount: Sendable, Equatable {
  /// The subject's hash.
  public let subject: [UInt8]
  /// Failures that have not expired.
  public var failures: Int32
  /// The last failure.
  public var lastAt: Date
  /// Attempts before this time are rejected unchecked.
  public var closedUntil: Date
}

/// Counts failed sign-ins. Names and addresses are never stored, only keyed hashes.
public struct AttemptStore: Sendable {
  private let pool: PostgresPool

  /// How long failures are kept, in seconds: a day.
  public static let memory: TimeInterval = 86_400

  /// - Parameter pool: where attempts are counted.
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
      let counts = try await connection.run(SQL.lockAttempts(subjects: subjects, time: time))
      if let changed = change(counts) { _ = try await connection.run(SQL.saveAttempts(counts: changed)) }
      return counts
    }
  }

  /// Deletes the counts of subjects, and all counts older than ``memory``.
  public func forget(_ subjects: [[UInt8]], at time: Date) async throws {
    _ = try await pool.run(SQL.forgetAttempts(subjects: subjects, before: time - Self.memory))
  }

  /// Stores a browser with which an account has signed in.
  /// - Parameter token: the secret in the browser's cookie.
  public func remember(browser token: String, of id: Int32, at time: Date) async throws {
    _ = try await pool.run(SQL.rememberBrowser(id: id, tokenHash: Secret.hash(token), time: time, limit: 10))
  }

  /// Whether an account of this name has signed in with a browser before.
  public func knows(browser token: String, of name: String) async throws -> Bool {
    try await !pool.run(SQL.findBrowser(name: name, tokenHash: Secret.hash(token))).isEmpty
  }

  /// A new secret for a browser's cookie.
  public static func makeToken() -> String { Secret.make(prefix: "") }
}
