public import Foundation
import PostgreSQL

/// An attempt at a publication with all that is known of it.
public struct PublicationHistory: Sendable, Equatable {
  /// The attempt.
  public var run: PublicationRun
  /// Its packs; none unless it became visible.
  public var packs: [PublishedPack]
  /// What the gates said.
  public var gates: [GateRecord]

  /// - Parameters: see the properties.
  public init(run: PublicationRun, packs: [PublishedPack], gates: [GateRecord]) {
    self.run = run
    self.packs = packs
    self.gates = gates
  }
}

extension PublicationStore {
  /// The newest attempts, newest first.
  public func runs(limit: Int) async throws -> [PublicationRun] {
    try await pool.run(ReadRuns(limit: limit))
  }

  /// What has been tried of the publication that was due at a time, revocations aside.
  public func attempts(since due: Date) async throws -> PublicationAttempts {
    try await pool.run(ReadAttempts(since: due)).first ?? PublicationAttempts()
  }

  /// What has been tried of single numbers since anything was published: only failures are counted.
  public func revocationFailures() async throws -> PublicationAttempts {
    try await pool.run(ReadRevocationFailures()).first ?? PublicationAttempts()
  }

  /// Whether somebody publishes, or is not known yet to have died over it: who asks for a publication now is told that
  /// another one is being made.
  public func isTaken() async throws -> Bool {
    try await pool.run(FindWhoPublishes()).first ?? false
  }

  /// The newest attempts with their packs and gates, newest first.
  public func history(limit: Int) async throws -> [PublicationHistory] {
    let runs = try await runs(limit: limit)
    let serials = runs.map(\.serial)
    let packs = Dictionary(grouping: try await pool.run(ReadPacks(serials: serials)), by: \.serial)
    let gates = Dictionary(grouping: try await pool.run(ReadGates(serials: serials)), by: \.serial)
    return runs.map { run in
      PublicationHistory(
        run: run, packs: (packs[run.serial] ?? []).map(\.pack), gates: (gates[run.serial] ?? []).map(\.gate))
    }
  }
}
