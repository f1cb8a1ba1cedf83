// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Leases of jobs that only one of several servers does.
public struct LeaseStore: Sendable {
  /// The right to do a job for a limited time.
  public struct Lease: Sendable, Equatable {
    public let job: String
    public let holder: UUID
  }

  private let pool: PostgresPool
  private let holder = UUID()

  /// Lifetime of a lease without renewal, in seconds.
  public static let duration: TimeInterval = 30

  public static let publishing = "publish"

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Takes a lease that is free, has expired or is held by this store.
  /// - Returns: nil when another server holds it.
  public func take(_ job: String) async throws -> Lease? {
    let statement = SQL.takeLease(job: job, holder: holder, host: ProcessInfo.processInfo.hostName)
    return try await pool.run(statement).isEmpty ? nil : Lease(job: job, holder: holder)
  }

  /// Runs `body` while the lease of a job is held, and releases the lease afterwards.
  /// - Returns: nil when another server holds it.
  public func withLease<Result: Sendable>(
    of job: String, _ body: @Sendable () async throws -> Result
  ) async throws -> Result? {
    guard let lease = try await take(job) else { return nil }
    let heart = Task {
      while (try? await Task.sleep(for: .seconds(Self.duration / 3))) != nil { _ = try? await take(lease.job) }
    }
    defer { heart.cancel() }
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    heart.cancel()
    _ = try? await pool.run("DELETE FROM job_leases WHERE job = $1 AND holder = $2", lease.job, lease.holder)
    return try result.get()
  }
}

extension SQL {
  /// Takes or renews a lease; no row when another holder has it. Uses the database clock: servers whose clocks differ
  /// would take leases from each other.
  static func takeLease(job: String, holder: UUID, host: String) -> Statement<String> {
    Statement(
      """
      INSERT INTO job_leases (job, holder, host, expires_at) VALUES ($1, $2, $3, statement_timestamp() + make_interval(secs => $4))
      ON CONFLICT (job) DO UPDATE
        SET holder = excluded.holder, host = excluded.host, expires_at = excluded.expires_at
        WHERE job_leases.holder = excluded.holder OR job_leases.expires_at < statement_timestamp()
          OR \(GatingTime.lease.isWrong(row: "job_leases."))
      RETURNING job
      """,
      job, holder, host, LeaseStore.duration)
  }
}
