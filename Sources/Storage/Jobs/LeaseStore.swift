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
    _ = try? await pool.run(SQL.giveLeaseBack(lease: lease))
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
      job, holder, host, LeaseStore.duration
    ) { try $0.decode(0) }
  }

  static func giveLeaseBack(lease: LeaseStore.Lease) -> Statement<Void> {
    Statement("DELETE FROM job_leases WHERE job = $1 AND holder = $2", lease.job, lease.holder)
  }

  /// Whether a publication run is in progress, or one server may be starting one.
  static func findWhoPublishes() -> Statement<Bool> {
    Statement(
      """
      SELECT EXISTS (SELECT 1 FROM publications
                     WHERE state = 'running' AND NOT \(GatingTime.publicationHeartbeat.isSilent(for: "$1")))
             OR EXISTS (SELECT 1 FROM job_leases
                        WHERE job = $2 AND expires_at >= statement_timestamp() AND NOT \(GatingTime.lease.isWrong()))
      """,
      PublicationStore.staleAfter, LeaseStore.publishing
    ) { try $0.decode(0) }
  }

  /// Number of failed attempts to publish single numbers since the last publication.
  static func readRevocationFailures() -> Statement<PublicationAttempts> {
    Statement(
      """
      SELECT count(*), extract(epoch FROM statement_timestamp() - max(heartbeat_at))::double precision FROM publications
      WHERE cause = 'revocation' AND state = 'failed'
        AND serial > coalesce((SELECT max(serial) FROM publications WHERE state = 'published'), 0)
      """
    ) { row in
      let failed: Int64 = try row.decode(0)
      return PublicationAttempts(failed: Int(failed), sinceFailure: try row.decode(1))
    }
  }

  /// Attempts at the publication that is due. A clock that was ahead made none of them.
  static func readAttempts(since: Date, at time: Date) -> Statement<PublicationAttempts> {
    Statement(
      """
      SELECT count(*) FILTER (WHERE state = 'published'),
             count(*) FILTER (WHERE state = 'refused' AND cause = 'schedule'),
             count(*) FILTER (WHERE state = 'running' AND NOT \(GatingTime.publicationHeartbeat.isSilent(for: "$2"))),
             count(*) FILTER (WHERE state = 'failed' AND cause = 'schedule'),
             extract(epoch FROM statement_timestamp() - max(heartbeat_at) FILTER (WHERE state = 'failed' AND cause = 'schedule'))
               ::double precision
      FROM publications
      WHERE cause <> 'revocation' AND as_of >= $1 AND NOT \(GatingTime.publicationTime.isWrong(at: "$3"))
      """,
      since, PublicationStore.staleAfter, time
    ) { row in
      let counts: [Int64] = [try row.decode(0), try row.decode(1), try row.decode(2), try row.decode(3)]
      return PublicationAttempts(
        published: Int(counts[0]), refused: Int(counts[1]), running: Int(counts[2]), failed: Int(counts[3]),
        sinceFailure: try row.decode(4))
    }
  }
}
