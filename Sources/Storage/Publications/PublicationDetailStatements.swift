// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Stores the packs of a publication.
struct RecordPacks: PostgresStatement {
  typealias Row = Void
  let serial: Int64
  let packs: [PublishedPack]

  static let sql = """
    INSERT INTO publication_packs (serial, name, kind, pack_serial, entries, size_bytes, delta_bytes)
    SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    ON CONFLICT (serial, name) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(serial)
    parameters.append(packs.map(\.name))
    parameters.append(packs.map(\.kind))
    parameters.append(packs.map(\.packSerial))
    parameters.append(packs.map(\.entries))
    parameters.append(packs.map(\.bytes))
    parameters.append(packs.map(\.deltaBytes))
  }
}

/// Stores the results of the gates.
struct RecordGates: PostgresStatement {
  typealias Row = Void
  let serial: Int64
  let gates: [GateRecord]

  static let sql = """
    INSERT INTO publication_gates (serial, gate, pack, passed, finding, overruled_by, overruled_why)
    SELECT $1, t.gate, t.pack, t.passed, t.finding::jsonb, t.overruled_by, t.overruled_why
    FROM unnest($2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[])
      AS t (gate, pack, passed, finding, overruled_by, overruled_why)
    ON CONFLICT (serial, gate, pack) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(serial)
    parameters.append(gates.map(\.gate))
    parameters.append(gates.map(\.pack))
    parameters.append(gates.map(\.passed))
    parameters.append(gates.map(\.finding.json))
    parameters.append(gates.map(\.overruledBy))
    parameters.append(gates.map(\.overruledWhy))
  }
}

/// The newest runs, the newest first.
struct ReadRuns: PostgresStatement {
  let limit: Int

  static let sql = """
    SELECT serial, state, cause, as_of, started_at, published_at, step::text, percent::bigint, failure::text
    FROM publications ORDER BY serial DESC LIMIT $1::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> PublicationRun {
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
struct ReadPacks: PostgresStatement {
  let serials: [Int64]

  static let sql = """
    SELECT serial, name, kind, pack_serial, entries, size_bytes, delta_bytes FROM publication_packs
    WHERE serial = ANY($1::bigint[]) ORDER BY serial, name
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(serials)
  }

  static func decode(_ row: PostgresRow) throws -> (serial: Int64, pack: PublishedPack) {
    (
      try row.decode(0),
      PublishedPack(
        name: try row.decode(1), kind: try row.decode(2), packSerial: try row.decode(3), entries: try row.decode(4),
        bytes: try row.decode(5), deltaBytes: try row.decode(6))
    )
  }
}

/// The gate results of some publications.
struct ReadGates: PostgresStatement {
  let serials: [Int64]

  static let sql = """
    SELECT serial, gate, pack, passed, finding::text, overruled_by, overruled_why FROM publication_gates
    WHERE serial = ANY($1::bigint[]) ORDER BY serial, pack, gate
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(serials)
  }

  static func decode(_ row: PostgresRow) throws -> (serial: Int64, gate: GateRecord) {
    (
      try row.decode(0),
      GateRecord(
        gate: try row.decode(1), pack: try row.decode(2), passed: try row.decode(3), finding: try row.coded(4),
        overruledBy: try row.decode(5), overruledWhy: try row.decode(6))
    )
  }
}
