// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Background jobs and their progress, for all servers. Leases and heartbeats use the database clock.
public struct JobStore: Sendable {
  private let pool: PostgresPool
  private let lostAfter: TimeInterval

  /// How long an outcome is kept, in seconds.
  public static let lifetime: TimeInterval = 86_400

  /// - Parameter lostAfter: seconds without a heartbeat after which a server is lost.
  public init(pool: PostgresPool, lostAfter: TimeInterval = 30) {
    self.pool = pool
    self.lostAfter = lostAfter
  }

  /// Stores a job: a preview replaces the account's earlier one; a publication is stored only while none is open.
  /// - Parameter audit: the audit event; no job is stored without it.
  /// - Returns: false where another job of its kind is open.
  public func place(_ job: BackgroundJob, audit: AuditEvent? = nil) async throws -> Bool {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.breakLostJobs(lostAfter: lostAfter))
      switch job.kind {
      case .preview: _ = try await connection.run(SQL.placePreview(job: job))
      case .publication:
        _ = try await connection.run(SQL.forgetEndedOrders(but: job.id))
        guard try await !connection.run(SQL.placeOrder(job: job)).isEmpty else {
          // This call itself, whose commit was not acknowledged.
          let there = try await connection.run(
            SQL.readJob(kind: job.kind, account: nil, isWithOutcome: false, lostAfter: lostAfter)
          ).first
          return there?.id == job.id
        }
      }
      if let audit { _ = try await connection.run(SQL.appendAuditEvent(audit, at: job.askedAt)) }
      return true
    }
  }

  /// The newest job of a kind; nil where there is none.
  /// - Parameters:
  ///   - account: the account that ordered it; nil for any.
  ///   - isWithOutcome: whether to read the outcome, which may be long.
  public func job(
    _ kind: BackgroundJob.Kind, of account: String? = nil, isWithOutcome: Bool = true
  ) async throws -> BackgroundJob? {
    try await pool.run(
      SQL.readJob(kind: kind, account: account, isWithOutcome: isWithOutcome, lostAfter: lostAfter)
    ).first
  }

  /// Deletes an account's job; the server that runs it stops.
  public func remove(_ kind: BackgroundJob.Kind, of account: String) async throws {
    _ = try await pool.retrying { try await $0.run(SQL.removeJob(kind: kind, account: account)) }
  }

  /// Claims the next job of a kind; marks lost jobs as broken and deletes expired ones.
  /// - Parameter server: the process that claims, which runs one job of a kind at a time.
  /// - Returns: nil where no job waits, or a server runs one of the kind.
  public func claim(_ kind: BackgroundJob.Kind, by server: UUID) async throws -> BackgroundJob? {
    _ = try await pool.retrying { try await $0.run(SQL.breakLostJobs(lostAfter: lostAfter)) }
    _ = try await pool.retrying { try await $0.run(SQL.forgetExpiredJobs()) }
    do {
      return try await pool.retrying { try await $0.run(SQL.claimJob(kind: kind, server: server)) }.first
    } catch let error as PostgresError where error.isDuplicateObject {
      // Another server has claimed another job at the same moment.
      return nil
    }
  }

  /// Stores the current step and a heartbeat.
  /// - Returns: whether the job is still the server's; false where it was removed or marked broken.
  public func beat(_ id: UUID, by server: UUID, step: JobStep) async throws -> Bool {
    try await !pool.run(SQL.beatJob(id: id, server: server, step: step)).isEmpty
  }

  /// Stores the outcome of a job. Nothing happens where another job has replaced it.
  public func end(_ id: UUID, by server: UUID, as state: BackgroundJob.State, outcome: String?) async throws {
    _ = try await pool.retrying { try await $0.run(SQL.endJob(id: id, server: server, state: state, outcome: outcome)) }
  }
}
