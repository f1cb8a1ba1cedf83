// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// The state of curation that a publication applies to the reports.
public enum CurationStateStore {
  /// Reads the complete state into memory: a decision takes 14 bytes, a protected number 12; holds, approved ranges and
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
    for hold in try await connection.run(SQL.readHolds()) { state.held.insert(hold.number) }
    state.victims = try await AppealStore.victims(at: time, on: connection)
    state.ranges = try await connection.run(SQL.readRanges(state: .approved)).map { range in
      ApprovedRange(
        range: range.range, category: range.category, heat: Decay.heat.value(ofStoredSum: range.heat, at: time))
    }
    return state
  }
}
