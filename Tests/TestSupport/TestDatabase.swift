// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
public import PostgreSQL
public import Testing

/// The pool of the running test's database.
public var pool: PostgresPool { TestDatabase.current.pool }

/// The time of most tests.
public let now = Date(timeIntervalSince1970: 1_795_000_000)

/// A test's own database, cloned from a migrated template.
public struct TestDatabase: Sendable {
  /// The connection string for libpq.
  public let dsn: String
  /// A pool on it; shut down when the test ends.
  public let pool: PostgresPool

  /// The database of the running test.
  public static var current: TestDatabase {
    guard let database = value else { preconditionFailure("The suite lacks the trait .database") }
    return database
  }

  /// Turns second reviews on, with the three moderators that they need.
  public func turnReviewsOn() async throws {
    try await addModerators(3)
    try await pool.withConnection {
      _ = try await $0.execute("INSERT INTO review_activation VALUES (true, 'Moderator 1', '2026-01-01T00:00:00Z')")
    }
  }

  /// Adds accounts of moderators who have signed in.
  public func addModerators(_ count: Int) async throws {
    let names = (1...count).map { "Moderator \($0)" }
    try await pool.withConnection {
      _ = try await $0.execute(
        """
        INSERT INTO accounts (name, role, created_at, signed_in_at)
        SELECT name, 'moderator', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM unnest(\(names)) AS t (name)
        """)
    }
  }

  @TaskLocal fileprivate static var value: TestDatabase?

  /// Runs `body` with a new database as ``current``, for a test that needs several.
  public static func withNew<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    try await DatabaseTrait.database.perform(body)
  }
}

/// Gives every test of a suite its own database in ``TestDatabase/current``.
public struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
  /// Applied to every test of the suite.
  public let isRecursive = true
  let isMigrated: Bool

  // Hundreds of tests start at once, each with its own connections: the cluster allows 300.
  private static let turnstile = Turnstile(width: 24)

  /// Runs a test with its own database.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Self.turnstile.enter()
    let result: Result<Void, any Error>
    do {
      result = .success(try await perform(function))
    } catch {
      result = .failure(error)
    }
    await Self.turnstile.leave()
    try result.get()
  }

  fileprivate func perform<Value: Sendable>(_ function: @Sendable () async throws -> Value) async throws -> Value {
    let dsn = try await isMigrated ? TestCluster.shared.makeDatabase() : TestCluster.shared.makeEmptyDatabase()
    let pool = PostgresPool(
      PostgresConfiguration(dsn), maximumConnections: 8, waitLimit: .seconds(300), logger: .forTests)
    let result: Result<Value, any Error>
    do {
      result = .success(
        try await TestDatabase.$value.withValue(TestDatabase(dsn: dsn, pool: pool)) { try await function() })
    } catch {
      result = .failure(error)
    }
    await pool.shutdown()
    try await TestCluster.shared.drop(dsn: dsn)
    return try result.get()
  }
}

extension Trait where Self == DatabaseTrait {
  /// A database with all migrations for every test.
  public static var database: DatabaseTrait { DatabaseTrait(isMigrated: true) }
  /// An empty database for every test.
  public static var emptyDatabase: DatabaseTrait { DatabaseTrait(isMigrated: false) }
}

extension Logger {
  /// A logger that writes only errors.
  public static let forTests = {
    var logger = Logger(label: "tests")
    logger.logLevel = .error
    return logger
  }()
}
