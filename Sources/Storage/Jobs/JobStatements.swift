// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

// Leases and heartbeats use the database clock: servers whose clocks differ would consider each other lost, and
// interrupt running jobs.

extension SQL {
  /// Stores a preview job in place of the account's earlier one.
  static func placePreview(job: BackgroundJob) -> Statement<UUID> {
    Statement(
      """
      INSERT INTO background_jobs (job_id, kind, account, request, state, asked_at, heartbeat_at, expires_at)
      VALUES ($1, 'preview', $2, $3, 'waiting', statement_timestamp(), statement_timestamp(),
              statement_timestamp() + make_interval(secs => $4))
      ON CONFLICT (account) WHERE kind = 'preview' DO UPDATE SET
        job_id = excluded.job_id, request = excluded.request, state = excluded.state, asked_at = excluded.asked_at,
        server = NULL, heartbeat_at = excluded.heartbeat_at, step = NULL, outcome = NULL, expires_at = excluded.expires_at
      RETURNING job_id
      """,
      job.id, job.account, job.request, RetainedData.outcomesKept)
  }

  /// Stores a publication job; no row while another job is open.
  static func placeOrder(job: BackgroundJob) -> Statement<UUID> {
    Statement(
      """
      INSERT INTO background_jobs (job_id, kind, account, request, state, asked_at, heartbeat_at, expires_at)
      VALUES ($1, 'publication', $2, $3, 'waiting', statement_timestamp(), statement_timestamp(),
              statement_timestamp() + make_interval(secs => $4))
      ON CONFLICT DO NOTHING RETURNING job_id
      """,
      job.id, job.account, job.request, RetainedData.outcomesKept)
  }

  /// Deletes ended publication jobs, except one that is being stored again.
  static func forgetEndedOrders(but: UUID) -> Statement<Void> {
    Statement(
      """
      DELETE FROM background_jobs
      WHERE kind = 'publication' AND state IN ('done', 'failed', 'broken') AND job_id <> $1
      """,
      but)
  }

  /// Whether a job is lost with its server, or if no server begins it.
  private static func canBeLost(_ row: String = "") -> String {
    "(\(row)state = 'running' OR \(row)state = 'waiting' AND \(row)kind = 'publication')"
  }

  /// Marks jobs as broken whose server is lost, and publication jobs that no server has started in time: nobody expects a
  /// publication that begins much later.
  /// - Parameter lostAfter: Seconds without a heartbeat after which a server is lost.
  static func breakLostJobs(lostAfter: TimeInterval) -> Statement<Void> {
    Statement(
      """
      UPDATE background_jobs SET state = 'broken', server = NULL
      WHERE \(GatingTime.jobHeartbeat.isSilent(for: "$1"))
        AND \(canBeLost())
      """,
      lostAfter)
  }

  static func forgetExpiredJobs() -> Statement<Void> {
    Statement("DELETE FROM background_jobs WHERE expires_at < statement_timestamp() AND state <> 'running'")
  }

  /// Claims the oldest job of a kind, unless another server runs one. A job that this server has claimed and not started
  /// is returned again, so that the claim can be repeated after a lost response.
  static func claimJob(kind: BackgroundJob.Kind, server: UUID) -> Statement<BackgroundJob> {
    Statement(
      """
      UPDATE background_jobs SET state = 'running', server = $2, heartbeat_at = statement_timestamp()
      WHERE job_id = (
          SELECT job_id FROM background_jobs
          WHERE kind = $1 AND (state = 'waiting' OR state = 'running' AND server = $2)
          ORDER BY state, asked_at, job_id LIMIT 1)
        AND (state = 'waiting' OR server = $2)
        AND NOT EXISTS (SELECT 1 FROM background_jobs WHERE kind = $1 AND state = 'running' AND server <> $2)
      RETURNING job_id, kind, account, request, state, asked_at, step::text, 0::bigint, outcome, false
      """,
      kind.rawValue, server
    ) { try BackgroundJob($0) }
  }

  /// The newest job of a kind, of one account or of any; broken where its server, or every server, is lost.
  /// - Parameter lostAfter: Seconds without a heartbeat after which a server is lost.
  static func readJob(
    kind: BackgroundJob.Kind, account: String?, isWithOutcome: Bool, lostAfter: TimeInterval
  ) -> Statement<BackgroundJob> {
    Statement(
      """
      SELECT j.job_id, j.kind, j.account, j.request, j.state, j.asked_at, j.step::text,
             (SELECT count(*) FROM background_jobs o
              WHERE o.kind = j.kind AND o.job_id <> j.job_id
                AND (o.state = 'running'
                     OR o.state = 'waiting' AND (o.asked_at, o.job_id) < (j.asked_at, j.job_id))),
             CASE WHEN $3 THEN j.outcome END,
             \(GatingTime.jobHeartbeat.isSilent(for: "$4", row: "j."))
               AND \(canBeLost("j."))
      FROM background_jobs j
      WHERE j.kind = $1 AND ($2::text IS NULL OR j.account = $2::text)
      ORDER BY j.asked_at DESC, j.job_id LIMIT 1
      """,
      kind.rawValue, account, isWithOutcome, lostAfter
    ) { try BackgroundJob($0) }
  }
}

extension BackgroundJob {
  /// From a row of either statement that reads jobs.
  fileprivate init(_ row: PostgresRow) throws {
    let (kindName, stateName): (String, String) = (try row.decode(1), try row.decode(4))
    guard let kind = Kind(rawValue: kindName) else { throw StorageError.unknownJob(kind: kindName) }
    guard let state = State(rawValue: stateName) else { throw StorageError.unknownState(stateName) }
    let isLost: Bool = try row.decode(9)
    self.init(
      id: try row.decode(0), kind: kind, account: try row.decode(2), request: try row.decode(3),
      state: isLost ? .broken : state, askedAt: try row.decode(5), step: try row.step(6),
      ahead: Int(try row.decode(7, as: Int64.self)), outcome: try row.decode(8))
  }
}
