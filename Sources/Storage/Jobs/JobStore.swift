// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Background jobs and their progress, for all servers. Leases and heartbeats use the database clock.
public struct JobStore: Sendable {
  private let pool: PostgresPool
  private let lostAfter: TimeInterval

  /// - Parameter lostAfter: seconds without a heartbeat after which a server is lost.
  public init(pool: PostgresPool, lostAfter: TimeInterval = 30) {
    self.pool = pool
    self.lostAfter = lostAfter
  }

  /// Stores a job: a preview replaces the account's earlier one; a publication is stored only while none is open.
  /// - Parameter audit: the audit event of a publication.
  /// - Returns: false where another job of its kind is open.
  public func place(_ job: BackgroundJob, audit: AuditEvent? = nil) async throws -> Bool {
    try await pool.change(at: job.askedAt) { connection in
      _ = try await connection.run(SQL.breakLostJobs(lostAfter: lostAfter))
      switch job.kind {
      case .preview: _ = try await connection.run(SQL.placePreview(job: job))
      case .publication:
        _ = try await connection.run(SQL.forgetEndedOrders(but: job.id))
        guard try await !connection.run(SQL.placeOrder(job: job)).isEmpty else { return .none(false) }
      }
      return .made(audit.map { [$0] } ?? [], true)
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

  /// The server that runs it stops.
  public func remove(_ kind: BackgroundJob.Kind, of account: String) async throws {
    _ = try await pool.retrying {
      try await $0.run("DELETE FROM background_jobs WHERE kind = $1 AND account = $2", kind.rawValue, account)
    }
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
    try await !pool.run(
      """
      UPDATE background_jobs SET heartbeat_at = statement_timestamp(), step = $3::text::jsonb
      WHERE job_id = $1 AND server = $2 AND state = 'running' RETURNING job_id
      """,
      id, server, step.json
    ) { try $0.decode(0, as: UUID.self) }.isEmpty
  }

  /// Does nothing where another job has replaced it. A job that was marked broken but has finished counts as finished.
  public func end(_ id: UUID, by server: UUID, as state: BackgroundJob.State, outcome: String?) async throws {
    _ = try await pool.retrying {
      try await $0.run(
        """
        UPDATE background_jobs SET state = $3, outcome = $4, server = NULL,
          expires_at = statement_timestamp() + make_interval(secs => $5)
        WHERE job_id = $1 AND (state = 'running' AND server = $2 OR state = 'broken')
        """,
        id, server, state.rawValue, outcome, RetainedData.outcomesKept)
    }
  }
}

/// A background job: ordered on a page and done by any server; every server can read its progress.
public struct BackgroundJob: Sendable, Equatable {
  /// The kind of a job. Only one job of a kind runs at a time across all servers.
  public enum Kind: String, Sendable {
    /// A preview of changed thresholds; at most one for each account.
    case preview
    /// A publication; at most one is open.
    case publication
  }

  public enum State: String, Sendable {
    case waiting
    case running
    case done
    case failed
    /// Its server was lost, or no server started it in time.
    case broken
  }

  /// Identifies the job; a job that replaces it has another id.
  public var id: UUID
  public var kind: Kind
  /// The account that ordered the job, 1 to 80 characters.
  public var account: String
  /// The request: JSON.
  public var request: String
  public var state: State
  /// When the job was ordered: by this server's clock until it is stored, then by the database clock.
  public var askedAt: Date
  /// Nil before the first step.
  public var step: JobStep?
  /// Number of jobs of its kind that run before it.
  public var ahead: Int
  /// The outcome: JSON of at most ``maxOutcome`` bytes; nil where there is none, or it was not read.
  public var outcome: String?

  /// The longest outcome, in bytes.
  public static let maxOutcome = 1_048_576

  public init(id: UUID = UUID(), kind: Kind, account: String, request: String) {
    self.init(
      id: id, kind: kind, account: account, request: request, state: .waiting, askedAt: Date(), step: nil, ahead: 0,
      outcome: nil)
  }

  init(
    id: UUID, kind: Kind, account: String, request: String, state: State, askedAt: Date, step: JobStep?, ahead: Int,
    outcome: String?
  ) {
    self.id = id
    self.kind = kind
    self.account = account
    self.request = request
    self.state = state
    self.askedAt = askedAt
    self.step = step
    self.ahead = ahead
    self.outcome = outcome
  }
}
