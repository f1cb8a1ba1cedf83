// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Stores the packs of a publication.
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

  /// Stores the results of the gates.
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
  static func readRuns(limit: Int) -> Statement<PublicationRun> {
    Statement(
      """
      SELECT serial, state, cause, as_of, started_at, published_at, step::text, percent::bigint, failure::text
      FROM publications ORDER BY serial DESC LIMIT $1::bigint
      """,
      Int64(limit)
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

  /// The packs of some publications.
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

  /// The gate results of some publications.
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
