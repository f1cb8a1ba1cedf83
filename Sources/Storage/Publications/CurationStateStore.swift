public import Curation
public import Foundation
public import PostgreSQL

/// Everything that a publication respects beside the reports.
public enum CurationStateStore {
  /// Reads it at once: decisions take 14 bytes each, protected numbers 12, holds, approved ranges and appealed numbers are
  /// few.
  /// - Parameters:
  ///   - time: what ranges and appeals are weighed at.
  ///   - connection: within a transaction that reads one snapshot.
  public static func load(at time: Date, on connection: PostgresConnection) async throws -> CurationState {
    var state = CurationState()
    state.protected = try await ProtectionStore.load(on: connection)
    for try await batch in connection.stream(ReadStandingDecisions()).batches {
      for decision in batch { state.decisions.append(decision) }
    }
    for hold in try await connection.run(ReadHolds()) { state.held.insert(hold.number) }
    state.victims = try await AppealStore.victims(at: time, on: connection)
    state.ranges = try await connection.run(ReadRanges(state: .approved)).map { range in
      ApprovedRange(
        range: range.range, category: range.category, heat: Decay.heat.value(ofMass: range.heat, at: time))
    }
    return state
  }
}
