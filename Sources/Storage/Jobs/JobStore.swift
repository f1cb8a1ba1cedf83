public import Curation
public import Foundation
public import PostgreSQL

/// What pages have ordered, and how far it is, for all servers. Whether a server lives is told by the database's clock.
public struct JobStore: Sendable {
  private let pool: PostgresPool
  private let lostAfter: TimeInterval

  /// How long what came of an order is kept, in seconds.
  public static let lifetime: TimeInterval = 86_400

  /// - Parameter lostAfter: a server that was not heard of for so many seconds is given up.
  public init(pool: PostgresPool, lostAfter: TimeInterval = 30) {
    self.pool = pool
    self.lostAfter = lostAfter
  }

  /// Places an order: a preview in the place of the account's last one, a publication only while none is open.
  /// - Parameter audit: what the audit log says of it; nothing is ordered that cannot be noted.
  /// - Returns: false where another order of its kind is open.
  public func place(_ job: BackgroundJob, audit: AuditEvent? = nil) async throws -> Bool {
    try await pool.transaction { connection in
      _ = try await connection.run(BreakLostJobs(lostAfter: lostAfter))
      switch job.kind {
      case .preview: _ = try await connection.run(PlacePreview(job: job))
      case .publication:
        _ = try await connection.run(ForgetEndedOrders(but: job.id))
        guard try await !connection.run(PlaceOrder(job: job)).isEmpty else {
          // This very call, whose commit was not answered.
          let there = try await connection.run(
            ReadJob(kind: job.kind, account: nil, isWithOutcome: false, lostAfter: lostAfter)
          ).first
          return there?.id == job.id
        }
      }
      if let audit { _ = try await connection.run(AppendAuditEvent(audit, at: job.askedAt)) }
      return true
    }
  }

  /// The newest order of a kind; nil where there is none.
  /// - Parameters:
  ///   - account: who asked; nil: anybody.
  ///   - isWithOutcome: whether to read what came of it, which may be long.
  public func job(
    _ kind: BackgroundJob.Kind, of account: String? = nil, isWithOutcome: Bool = true
  ) async throws -> BackgroundJob? {
    try await pool.run(
      ReadJob(kind: kind, account: account, isWithOutcome: isWithOutcome, lostAfter: lostAfter)
    ).first
  }

  /// Forgets what an account has asked for; whoever makes it stops.
  public func remove(_ kind: BackgroundJob.Kind, of account: String) async throws {
    _ = try await pool.retrying { try await $0.run(RemoveJob(kind: kind, account: account)) }
  }

  /// Takes the next order of a kind, and clears away what is lost or old.
  /// - Parameter server: the process that asks, which makes one thing of a kind at a time.
  /// - Returns: nil where nothing waits, or a server makes something of the kind.
  public func claim(_ kind: BackgroundJob.Kind, by server: UUID) async throws -> BackgroundJob? {
    _ = try await pool.retrying { try await $0.run(BreakLostJobs(lostAfter: lostAfter)) }
    _ = try await pool.retrying { try await $0.run(ForgetExpiredJobs()) }
    do {
      return try await pool.retrying { try await $0.run(ClaimJob(kind: kind, server: server)) }.first
    } catch let error as PostgresError where error.isDuplicateObject {
      // Another server has taken another one in this very moment.
      return nil
    }
  }

  /// Says what is being done, and that the server lives.
  /// - Returns: whether the job is still the server's; false where it was taken back or given up.
  public func beat(_ id: UUID, by server: UUID, step: JobStep) async throws -> Bool {
    try await !pool.run(BeatJob(id: id, server: server, step: step)).isEmpty
  }

  /// Says what came of a job. Nothing happens where another order stands in its place.
  public func end(_ id: UUID, by server: UUID, as state: BackgroundJob.State, outcome: String?) async throws {
    _ = try await pool.retrying { try await $0.run(EndJob(id: id, server: server, state: state, outcome: outcome)) }
  }
}
