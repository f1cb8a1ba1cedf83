// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// The newest publication that became visible.
struct ReadLatestPublication: PostgresStatement {
  static let sql = """
    SELECT serial, published_at, as_of, manifest_sha256 FROM publications
    WHERE state = 'published' ORDER BY serial DESC LIMIT 1
    """

  static func decode(_ row: PostgresRow) throws -> Publication {
    Publication(
      serial: try row.decode(0), publishedAt: try row.decode(1), asOf: try row.decode(2),
      manifestSHA256: try row.decode(3))
  }
}

/// The greatest serial that was ever claimed.
struct ReadGreatestSerial: PostgresStatement {
  static let sql = "SELECT coalesce(max(serial), 0) FROM publications"

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Marks runs without a recent heartbeat as failed.
struct AbandonStaleRuns: PostgresStatement {
  typealias Row = Void

  static let sql = """
    UPDATE publications SET state = 'failed', failure = $2::text::jsonb
    WHERE state = 'running' AND heartbeat_at < statement_timestamp() - make_interval(secs => $1)
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(PublicationStore.staleAfter)
    parameters.append(PublicationFailure.processEnded.json)
  }
}

/// Serials of the runs in progress.
struct ReadRunning: PostgresStatement {
  static let sql = "SELECT serial FROM publications WHERE state = 'running' ORDER BY serial"

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Claims a serial; no row when another run has it. Safe to repeat with the same token.
struct ClaimSerial: PostgresStatement {
  let claim: PublicationClaim
  let cause: PublicationRun.Cause
  let asOf: Date

  static let sql = """
    INSERT INTO publications (serial, as_of, state, cause, claim, started_at, heartbeat_at)
    VALUES ($1, $2, 'running', $3, $4, statement_timestamp(), statement_timestamp())
    ON CONFLICT (serial) DO UPDATE SET heartbeat_at = excluded.heartbeat_at
      WHERE publications.claim = excluded.claim AND publications.state = 'running'
    RETURNING serial
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(claim.serial)
    parameters.append(asOf)
    parameters.append(cause.rawValue)
    parameters.append(claim.token)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Stores the progress of a run; no row when it was marked as failed meanwhile.
struct ReportProgress: PostgresStatement {
  let claim: PublicationClaim
  let step: JobStep
  let percent: Int

  static let sql = """
    UPDATE publications SET step = $3::text::jsonb, percent = $4, heartbeat_at = statement_timestamp()
    WHERE serial = $1 AND claim = $2 AND state = 'running'
    RETURNING serial
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(claim.serial)
    parameters.append(claim.token)
    parameters.append(step.json)
    parameters.append(Int16(min(max(percent, 0), 100)))
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Ends a run without a publication.
struct EndRun: PostgresStatement {
  typealias Row = Void
  let claim: PublicationClaim
  let state: PublicationRun.State
  let failure: PublicationFailure

  static let sql = """
    UPDATE publications SET state = $3, failure = $4::text::jsonb, heartbeat_at = statement_timestamp()
    WHERE serial = $1 AND claim = $2 AND state = 'running'
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(claim.serial)
    parameters.append(claim.token)
    parameters.append(state.rawValue)
    parameters.append(failure.json)
  }
}

/// Records a publication that is already visible, so it overwrites the row's earlier state. Another manifest under the
/// same serial is refused with no row.
struct RecordPublication: PostgresStatement {
  let publication: Publication

  static let sql = """
    INSERT INTO publications (serial, published_at, as_of, manifest_sha256, state, percent)
    VALUES ($1, $2, $3, $4, 'published', 100)
    ON CONFLICT (serial) DO UPDATE SET
      published_at = coalesce(publications.published_at, excluded.published_at), as_of = excluded.as_of,
      manifest_sha256 = excluded.manifest_sha256, state = 'published', percent = 100, step = NULL, failure = NULL
      WHERE publications.manifest_sha256 IS NULL OR publications.manifest_sha256 = excluded.manifest_sha256
    RETURNING serial
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(publication.serial)
    parameters.append(publication.publishedAt)
    parameters.append(publication.asOf)
    parameters.append(publication.manifestSHA256)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}
