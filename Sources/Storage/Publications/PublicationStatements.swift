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

  /// Marks runs without a recent heartbeat as failed.
  static func abandonStaleRuns() -> Statement<Void> {
    Statement(
      """
      UPDATE publications SET state = 'failed', failure = $2::text::jsonb
      WHERE state = 'running' AND \(GatingTime.publicationHeartbeat.isSilent(for: "$1"))
      """,
      PublicationStore.staleAfter, PublicationFailure.processEnded.json)
  }

  static func readRunning() -> Statement<Int64> {
    Statement("SELECT serial FROM publications WHERE state = 'running' ORDER BY serial")
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
      claim.serial, asOf, cause.rawValue, claim.token)
  }

  /// Reserves the serials up to one: later publications have greater ones.
  static func reserveSerials(upTo serial: Int64, at time: Date) -> Statement<Void> {
    Statement(
      "INSERT INTO publications (serial, as_of, state, cause, failure) VALUES ($1, $2, 'failed', 'command', $3::text::jsonb)",
      serial, time, PublicationFailure.serialsReserved(serial: serial).json)
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
      publication.serial, publication.publishedAt, publication.asOf, publication.manifestSHA256)
  }

  static func recordPacks(serial: Int64, packs: [PublishedPack]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO publication_packs (serial, name, kind, pack_serial, entries, size_bytes, delta_bytes)
      SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
      ON CONFLICT (serial, name) DO NOTHING
      """,
      serial, packs.map(\.name), packs.map(\.kind), packs.map(\.packSerial), packs.map(\.entries), packs.map(\.bytes),
      packs.map(\.deltaBytes))
  }

  static func recordGates(serial: Int64, gates: [GateRecord]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO publication_gates (serial, gate, pack, passed, finding, overruled_by, overruled_why)
      SELECT $1, t.gate, t.pack, t.passed, t.finding::jsonb, t.overruled_by, t.overruled_why
      FROM unnest($2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[])
        AS t (gate, pack, passed, finding, overruled_by, overruled_why)
      ON CONFLICT (serial, gate, pack) DO NOTHING
      """,
      serial, gates.map(\.gate), gates.map(\.pack), gates.map(\.passed), gates.map(\.finding.json),
      gates.map(\.overruledBy), gates.map(\.overruledWhy))
  }

  /// The newest runs, the newest first.
  static func readRuns(limit: Int, serial: Int64? = nil) -> Statement<PublicationRun> {
    Statement(
      """
      SELECT serial, state, cause, as_of, started_at, published_at, step::text, percent::bigint, failure::text
      FROM publications WHERE $2::bigint IS NULL OR serial = $2 ORDER BY serial DESC LIMIT $1::bigint
      """,
      Int64(limit), serial
    ) { row in
      let percent: Int64 = try row.decode(7)
      let state: String = try row.decode(1)
      let cause: String = try row.decode(2)
      return PublicationRun(
        serial: try row.decode(0), state: PublicationRun.State(rawValue: state) ?? .failed,
        cause: PublicationRun.Cause(rawValue: cause) ?? .command, asOf: try row.decode(3), startedAt: try row.decode(4),
        publishedAt: try row.decode(5), step: try row.step(6), percent: Int(percent),
        failure: try row.codedIfPresent(8))
    }
  }

  static func readPacks(serials: [Int64]) -> Statement<(serial: Int64, pack: PublishedPack)> {
    Statement(
      """
      SELECT serial, name, kind, pack_serial, entries, size_bytes, delta_bytes FROM publication_packs
      WHERE serial = ANY($1::bigint[]) ORDER BY serial, name
      """,
      serials
    ) { row in
      (
        try row.decode(0),
        PublishedPack(
          name: try row.decode(1), kind: try row.decode(2), packSerial: try row.decode(3), entries: try row.decode(4),
          bytes: try row.decode(5), deltaBytes: try row.decode(6))
      )
    }
  }

  static func readGates(serials: [Int64]) -> Statement<(serial: Int64, gate: GateRecord)> {
    Statement(
      """
      SELECT serial, gate, pack, passed, finding::text, overruled_by, overruled_why FROM publication_gates
      WHERE serial = ANY($1::bigint[]) ORDER BY serial, pack, gate
      """,
      serials
    ) { row in
      (
        try row.decode(0),
        GateRecord(
          gate: try row.decode(1), pack: try row.decode(2), passed: try row.decode(3), finding: try row.coded(4),
          overruledBy: try row.decode(5), overruledWhy: try row.decode(6))
      )
    }
  }
}
