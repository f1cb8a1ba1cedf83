public import Foundation
public import PostgreSQL

/// How often a subject failed to sign in: an account, a network, a browser, as a hash of 32 bytes.
public struct AttemptCount: Sendable, Equatable {
  /// What is counted.
  public let subject: [UInt8]
  /// Failures that are not forgotten.
  public var failures: Int32
  /// The last of them.
  public var lastAt: Date
  /// No attempt is looked at before.
  public var closedUntil: Date
}

/// Counts attempts to sign in. What an account or an address is called is never stored: only keyed hashes.
public struct AttemptStore: Sendable {
  private let pool: PostgresPool

  /// How long failures are remembered, in seconds: a day.
  public static let memory: TimeInterval = 86_400

  /// - Parameter pool: where attempts are counted.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Reads and changes the counts of some subjects while nobody else does.
  /// - Parameter change: answers with what they are to be; nil leaves them.
  /// - Returns: the counts as they were.
  @discardableResult
  public func update(
    _ subjects: [[UInt8]], at time: Date, _ change: @Sendable ([AttemptCount]) -> [AttemptCount]?
  ) async throws -> [AttemptCount] {
    try await pool.transaction { connection in
      let counts = try await connection.run(LockAttempts(subjects: subjects, time: time))
      if let changed = change(counts) { _ = try await connection.run(SaveAttempts(counts: changed)) }
      return counts
    }
  }

  /// Forgets subjects, and whatever is older than ``memory``.
  public func forget(_ subjects: [[UInt8]], at time: Date) async throws {
    _ = try await pool.run(ForgetAttempts(subjects: subjects, before: time - Self.memory))
  }

  /// Remembers a browser that an account has signed in with.
  /// - Parameter token: what the browser keeps.
  public func remember(browser token: String, of id: Int32, at time: Date) async throws {
    _ = try await pool.run(RememberBrowser(id: id, tokenHash: Secret.hash(token), time: time, limit: 10))
  }

  /// Whether an account of this name has signed in with a browser before.
  public func knows(browser token: String, of name: String) async throws -> Bool {
    try await !pool.run(FindBrowser(name: name, tokenHash: Secret.hash(token))).isEmpty
  }

  /// A secret for a browser to keep.
  public static func makeToken() -> String { Secret.make(prefix: "") }
}
