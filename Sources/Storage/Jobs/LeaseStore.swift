public import Foundation
public import PostgreSQL

/// Who does a job that one of several servers is to do.
public struct LeaseStore: Sendable {
  /// The right to do a job for a while.
  public struct Lease: Sendable, Equatable {
    /// What job.
    public let job: String
    /// Tells this holder from another.
    public let holder: UUID
  }

  private let pool: PostgresPool
  private let holder = UUID()

  /// A lease runs out after so many seconds without a word from its holder.
  public static let duration: TimeInterval = 30

  /// The job of whoever publishes.
  public static let publishing = "publish"

  /// - Parameter pool: where leases are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Takes a lease that nobody holds, or that has run out, or is one's own.
  /// - Returns: nil when somebody else holds it.
  public func take(_ job: String) async throws -> Lease? {
    let statement = TakeLease(job: job, holder: holder, host: ProcessInfo.processInfo.hostName)
    return try await pool.run(statement).isEmpty ? nil : Lease(job: job, holder: holder)
  }

  /// Runs `body` while the lease is renewed, and gives it back.
  public func holding<Result: Sendable>(
    _ lease: Lease, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
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
    _ = try? await pool.run(GiveLeaseBack(lease: lease))
    return try result.get()
  }
}
