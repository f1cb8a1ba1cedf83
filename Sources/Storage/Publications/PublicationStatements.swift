// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// The newest publication that became visible.
  static func readLatestPublication() -> Statement<Publication> {
    Statement(
      """
      SELECT serial, published_at, as_of, manifest_sha256 FROM publications
      WHERE state = 'published' ORDER BY serial DESC LIMIT 1
      """
    ) { row in
      Publication(
        serial: try row.decode(0), publishedAt: try row.decode(1), asOf: try row.decode(2),
        manifestSHA256: try row.decode(3))
    }
  }

  /// The greatest serial that was ever claimed.
  static func readGreatestSerial() -> Statement<Int64> {
    Statement(
      "SELECT coalesce(max(serial), 0) FROM publications"
    ) { try $0.decode(0) }
  }

  /// Marks runs without a recent heartbeat as failed.
  static func abandonStaleRuns() -> Statement<Void> {
    Statement(
      """
      UPDATE publications SET state = 'failed', failure = $2::text::jsonb
      WHERE state = 'running' AND heartbeat_at < statement_timestamp() - make_interval(secs => $1)
      """,
      PublicationStore.staleAfter, PublicationFailure.processEnded.json)
  }

  /// Serials of the runs in progress.
  static func readRunning() -> Statement<Int64> {
    Statement(
      "SELECT serial FROM publications WHERE state = 'running' ORDER BY serial"
    ) { try $0.decode(0) }
  }

  /// Claims a serial; no row when another run has it. Safe to repeat with the same token.
  static func claimSerial(claim: PublicationClaim, cause: PublicationRun.Cause, asOf: Date) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO publications (serial, as_of, state, cause, claim, started_at, heartbeat_at)
      VALUES ($1, $2, 'running', $3, $4, statement_timestamp(), statement_timestamp())
      ON CONFLICT (serial) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
        WHERE publications.claim = excluded.claim AND publications.state = 'running'
      RETURNING serial
      """,
      claim.serial, asOf, cause.rawValue, claim.token
    ) { try $0.decode(0) }
  }

  /// Stores the progress of a run; no row when it was marked as failed meanwhile.
  static func reportProgress(claim: PublicationClaim, step: JobStep, percent: Int) -> Statement<Int64> {
    Statement(
      """
      UPDATE publications SET step = $3::text::jsonb, percent = $4, heartbeat_at = statement_timestamp()
      WHERE serial = $1 AND claim = $2 AND state = 'running'
      RETURNING serial
      """,
      claim.serial, claim.token, step.json, Int16(min(max(percent, 0), 100))
    ) { try $0.decode(0) }
  }

  /// Ends a run without a publication.
  static func endRun(
    claim: PublicationClaim, state: PublicationRun.State, failure: PublicationFailure
  ) -> Statement<Void> {
    Statement(
      """
      UPDATE publications SET state = $3, failure = $4::text::jsonb, heartbeat_at = statement_timestamp()
      WHERE serial = $1 AND claim = $2 AND state = 'running'
      """,
      claim.serial, claim.token, state.rawValue, failure.json)
  }

  /// Records a publication that is already visible, so it overwrites the row's earlier state. Another manifest under the
  /// same serial is refused with no row.
  static func recordPublication(publication: Publication) -> Statement<Int64> {
    Statement(
      """
      INSERT INTO publications (serial, published_at, as_of, manifest_sha256, state, percent)
      VALUES ($1, $2, $3, $4, 'published', 100)
      ON CONFLICT (serial) DO UPDATE SET
        published_at = coalesce(publications.published_at, excluded.published_at), as_of = excluded.as_of,
        manifest_sha256 = excluded.manifest_sha256, state = 'published', percent = 100, step = NULL, failure = NULL
        WHERE publications.manifest_sha256 IS NULL OR publications.manifest_sha256 = excluded.manifest_sha256
      RETURNING serial
      """,
      publication.serial, publication.publishedAt, publication.asOf, publication.manifestSHA256
    ) { try $0.decode(0) }
  }
}
