// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Publications: claims, progress and results of runs. Heartbeats use the database clock.
public struct PublicationStore: Sendable {
  package let pool: PostgresPool

  /// Seconds without a heartbeat after which a run is marked as failed.
  static let staleAfter: TimeInterval = 60

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The newest publication that became visible; nil before the first.
  public func latest() async throws -> Publication? {
    try await pool.run(SQL.readLatestPublication()).first
  }

  /// The greatest serial that was ever claimed, 0 before the first.
  public func maxSerial() async throws -> Int64 {
    try await pool.run("SELECT coalesce(max(serial), 0) FROM publications") { try $0.decode(0, as: Int64.self) }.first
      ?? 0
  }

  /// Reserves the serials up to one that is greater than ``maxSerial()``: later publications have greater ones.
  public func reserveSerials(upTo serial: Int64, at time: Date) async throws {
    _ = try await pool.run(SQL.reserveSerials(upTo: serial, at: time))
  }

  /// The last serial of ``reserveSerials(upTo:at:)``; nil for none.
  public func reservedSerial() async throws -> Int64? {
    try await pool.run(
      "SELECT max(serial) FROM publications WHERE state = 'failed' AND failure ->> 'code' = $1",
      PublicationFailure.Code.serialsReserved.name
    ) { try $0.decode(0, as: Int64?.self) }.first ?? nil
  }

  /// Claims a serial for a new publication. Runs without a recent heartbeat are marked as failed.
  /// - Returns: nil when another run is in progress, or has the serial.
  public func claim(
    _ serial: Int64, cause: PublicationRun.Cause, asOf: Date
  ) async throws -> PublicationClaim? {
    let claim = PublicationClaim(serial: serial)
    return try await pool.transaction { connection in
      _ = try await connection.run(SQL.abandonStaleRuns())
      let others = try await connection.run(SQL.readRunning()).filter { $0 != serial }
      guard others.isEmpty else { return nil }
      let claimed = try await connection.run(SQL.claimSerial(claim: claim, cause: cause, asOf: asOf))
      return claimed.isEmpty ? nil : claim
    }
  }

  /// Stores the progress of a run and a heartbeat.
  /// - Returns: whether the claim is still valid; false when the run was marked as failed for lack of heartbeats.
  public func report(_ claim: PublicationClaim, step: JobStep, percent: Int) async throws -> Bool {
    try await !pool.run(
      """
      UPDATE publications SET step = $3::text::jsonb, percent = $4, heartbeat_at = statement_timestamp()
      WHERE serial = $1 AND claim = $2 AND state = 'running'
      RETURNING serial
      """,
      claim.serial, claim.token, step.json, Int16(min(max(percent, 0), 100))
    ) { try $0.decode(0, as: Int64.self) }.isEmpty
  }

  /// Ends a run without a publication, and stores the results of the gates.
  public func end(
    _ claim: PublicationClaim, as state: PublicationRun.State, failure: PublicationFailure, gates: [GateRecord] = [],
    event: Event? = nil
  ) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.endRun(claim: claim, state: state, failure: failure))
      if !gates.isEmpty { _ = try await connection.run(SQL.recordGates(serial: claim.serial, gates: gates)) }
      if let event { _ = try await connection.run(SQL.recordEvent(event, at: Date())) }
    }
  }

  /// Records a visible publication with its packs and gates, in one transaction with `body`.
  ///
  /// Safe to repeat.
  /// - Parameter body: further changes in the same transaction.
  /// - Throws: ``StorageError/serialTaken(_:)`` when another manifest was recorded under this serial.
  public func record(
    _ publication: Publication, packs: [PublishedPack] = [], gates: [GateRecord] = [],
    with body: @Sendable (PostgresConnection) async throws -> Void = { _ in }
  ) async throws {
    try await pool.change(at: publication.publishedAt) { connection in
      let recorded = try await connection.run(SQL.recordPublication(publication: publication))
      guard !recorded.isEmpty else { throw StorageError.serialTaken(publication.serial) }
      if !packs.isEmpty { _ = try await connection.run(SQL.recordPacks(serial: publication.serial, packs: packs)) }
      if !gates.isEmpty { _ = try await connection.run(SQL.recordGates(serial: publication.serial, gates: gates)) }
      try await body(connection)
      return .made(gates.compactMap { $0.overrule(of: publication.serial) }, ())
    }
  }

  public func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true, body)
    }
  }
}

extension GateRecord {
  /// The audit event of an overridden gate; nil where nobody overrode it.
  fileprivate func overrule(of serial: Int64) -> AuditEvent? {
    overruledBy.map { name in
      Actor(name: name, role: .administrator).did(
        .publicationOverrule, to: "publication \(serial)", id: UUID(naming: "overrule \(serial) \(gate) \(pack)"),
        before: [gate: finding.json], because: overruledWhy)
    }
  }
}

/// A publication run with its packs and gates.
public struct PublicationHistory: Sendable, Equatable {
  public var run: PublicationRun
  /// Its packs; empty unless it was published.
  public var packs: [PublishedPack]
  public var gates: [GateRecord]
}

extension PublicationStore {
  /// The newest runs, the newest first.
  public func runs(limit: Int) async throws -> [PublicationRun] {
    try await pool.run(SQL.readRuns(limit: limit))
  }

  /// Attempts at the publication that was due at a time, without revocations. A clock that was ahead made none of them.
  /// - Parameter time: the present.
  public func attempts(since due: Date, at time: Date = Date()) async throws -> PublicationAttempts {
    try await pool.run(
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
      due, PublicationStore.staleAfter, time
    ) { row in
      let counts: [Int64] = [try row.decode(0), try row.decode(1), try row.decode(2), try row.decode(3)]
      return PublicationAttempts(
        published: Int(counts[0]), refused: Int(counts[1]), running: Int(counts[2]), failed: Int(counts[3]),
        sinceFailure: try row.decode(4))
    }.first ?? PublicationAttempts()
  }

  /// Failed attempts to publish revocations since the last publication.
  public func revocationFailures() async throws -> PublicationAttempts {
    try await pool.run(
      """
      SELECT count(*), extract(epoch FROM statement_timestamp() - max(heartbeat_at))::double precision FROM publications
      WHERE cause = 'revocation' AND state = 'failed'
        AND serial > coalesce((SELECT max(serial) FROM publications WHERE state = 'published'), 0)
      """
    ) { row in
      let failed: Int64 = try row.decode(0)
      return PublicationAttempts(failed: Int(failed), sinceFailure: try row.decode(1))
    }.first ?? PublicationAttempts()
  }

  /// Whether a publication run is in progress or starting; a run whose process was lost counts until its heartbeat is
  /// too old.
  public func isTaken() async throws -> Bool {
    try await pool.run(
      """
      SELECT EXISTS (SELECT 1 FROM publications
                     WHERE state = 'running' AND NOT \(GatingTime.publicationHeartbeat.isSilent(for: "$1")))
             OR EXISTS (SELECT 1 FROM job_leases
                        WHERE job = $2 AND expires_at >= statement_timestamp() AND NOT \(GatingTime.lease.isWrong()))
      """,
      PublicationStore.staleAfter, LeaseStore.publishing
    ) { try $0.decode(0, as: Bool.self) }.first ?? false
  }

  /// The newest runs with their packs and gates, the newest first.
  public func history(limit: Int) async throws -> [PublicationHistory] {
    try await history(of: try await runs(limit: limit))
  }

  public func find(_ serial: Int64) async throws -> PublicationHistory? {
    try await history(of: try await pool.run(SQL.readRuns(limit: 1, serial: serial))).first
  }

  private func history(of runs: [PublicationRun]) async throws -> [PublicationHistory] {
    let serials = runs.map(\.serial)
    let packs = Dictionary(grouping: try await pool.run(SQL.readPacks(serials: serials)), by: \.serial)
    let gates = Dictionary(grouping: try await pool.run(SQL.readGates(serials: serials)), by: \.serial)
    return runs.map { run in
      PublicationHistory(
        run: run, packs: (packs[run.serial] ?? []).map(\.pack), gates: (gates[run.serial] ?? []).map(\.gate))
    }
  }
}

/// The state of curation that a publication applies to the reports.
public enum CurationStateStore {
  /// Reads the complete state into memory: a decision takes 14 bytes, a protected number 12; holds, rules for ranges and
  /// appealed numbers are few.
  /// - Parameters:
  ///   - time: the time for which ranges and appeals are evaluated.
  ///   - connection: within a transaction that reads one snapshot.
  public static func load(at time: Date, on connection: PostgresConnection) async throws -> CurationState {
    var state = CurationState()
    state.protected = try await ProtectionStore.load(on: connection)
    for try await batch in connection.stream(SQL.readStandingDecisions()).batches {
      for decision in batch { state.decisions.append(decision) }
    }
    for hold in try await connection.run(SQL.readHolds()) { state.add(hold) }
    state.victims = try await AppealStore.victims(at: time, on: connection)
    state.rules = try await RangeStore.rules(at: time, on: connection)
    return state
  }
}
