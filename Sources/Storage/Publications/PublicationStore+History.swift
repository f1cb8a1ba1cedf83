// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// A publication run with its packs and gates.
public struct PublicationHistory: Sendable, Equatable {
  /// The run.
  public var run: PublicationRun
  /// Its packs; empty unless it was published.
  public var packs: [PublishedPack]
  /// The results of the gates.
  public var gates: [GateRecord]

  /// - Parameters: see the properties.
  public init(run: PublicationRun, packs: [PublishedPack], gates: [GateRecord]) {
    self.run = run
    self.packs = packs
    self.gates = gates
  }
}

extension PublicationStore {
  /// The newest runs, the newest first.
  public func runs(limit: Int) async throws -> [PublicationRun] {
    try await pool.run(SQL.readRuns(limit: limit))
  }

  /// Attempts at the publication that was due at a time, without revocations.
  public func attempts(since due: Date) async throws -> PublicationAttempts {
    try await pool.run(SQL.readAttempts(since: due)).first ?? PublicationAttempts()
  }

  /// Failed attempts to publish revocations since the last publication.
  public func revocationFailures() async throws -> PublicationAttempts {
    try await pool.run(SQL.readRevocationFailures()).first ?? PublicationAttempts()
  }

  /// Whether a publication run is in progress or starting; a run whose process was lost counts until its heartbeat is
  /// too old.
  public func isTaken() async throws -> Bool {
    try await pool.run(SQL.findWhoPublishes()).first ?? false
  }

  /// The newest runs with their packs and gates, the newest first.
  public func history(limit: Int) async throws -> [PublicationHistory] {
    let runs = try await runs(limit: limit)
    let serials = runs.map(\.serial)
    let packs = Dictionary(grouping: try await pool.run(SQL.readPacks(serials: serials)), by: \.serial)
    let gates = Dictionary(grouping: try await pool.run(SQL.readGates(serials: serials)), by: \.serial)
    return runs.map { run in
      PublicationHistory(
        run: run, packs: (packs[run.serial] ?? []).map(\.pack), gates: (gates[run.serial] ?? []).map(\.gate))
    }
  }
}
