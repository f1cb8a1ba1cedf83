// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Leases of jobs that only one of several servers does.
public struct LeaseStore: Sendable {
  /// The right to do a job for a limited time.
  public struct Lease: Sendable, Equatable {
    /// The job's name.
    public let job: String
    /// Identifies the holder.
    public let holder: UUID
  }

  private let pool: PostgresPool
  private let holder = UUID()

  /// Lifetime of a lease without renewal, in seconds.
  public static let duration: TimeInterval = 30

  /// The job of publishing.
  public static let publishing = "publish"

  /// - Parameter pool: where leases are kept.
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
    _ = try? await pool.run(SQL.giveLeaseBack(lease: lease))
    return try result.get()
  }
}
