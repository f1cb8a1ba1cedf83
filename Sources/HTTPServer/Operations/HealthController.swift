// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
package import Hummingbird
package import Intake
package import Storage
import Synchronization

/// `GET /healthz` and `GET /readyz`
package struct HealthController: Sendable {
  package let health: HealthStore
  package let intake: ReportIntake
  package let readiness: Readiness
  private let rights: RightsService?
  private let clock: WrongTimes

  /// - Parameter rights: with the erasure journal; nil for none.
  package init(
    health: HealthStore, operations: OperationStore, intake: ReportIntake, readiness: Readiness,
    rights: RightsService? = nil
  ) {
    self.rights = rights
    clock = WrongTimes(operations: operations)
    self.health = health
    self.intake = intake
    self.readiness = readiness
  }

  /// Confirms that the process runs.
  @Sendable package func alive(_ request: Request, context: ServerRequestContext) -> Response {
    JSON.response(["status": "alive"])
  }

  /// The time that a failed commit counts. A load balancer sends no reports meanwhile, so no commit could show the
  /// recovery.
  private static let memory = Duration.seconds(10)

  /// Confirms that the process accepts requests: it is not stopping, the queue of reports has room, commits succeed, the
  /// erasure journal can be written, and the database answers within a second: of a cluster, one node.
  @Sendable package func ready(_ request: Request, context: ServerRequestContext) async throws -> Response {
    if readiness.isStopping { throw Problem.stopping }
    // Fails before the queue is full, so that a load balancer sends reports to other servers in time.
    if intake.depth * 10 >= intake.capacity * 9 {
      throw Problem(.unavailable, detail: "The intake queue is nearly full.")
    }
    if intake.isFailing(within: Self.memory) {
      throw Problem(.unavailable, detail: "The last reports could not be stored.")
    }
    do {
      try rights?.checkJournal()
    } catch {
      throw Problem(.unavailable, detail: "The erasure journal cannot be written.")
    }
    // Not logged, because load balancers ask every few seconds.
    let nodes = await health.states()
    let away = nodes.filter { !$0.answers }.map(\.name)
    if away.count == nodes.count { throw Problem(.unavailable, detail: "The database does not answer.") }
    return try JSON.uncachedResponse(Answer(wrongTimes: clock.known(), away: away.isEmpty ? nil : away))
  }

  private struct Answer: Encodable {
    var status = "ready"
    let wrongTimes: [String]
    /// The nodes of a cluster that do not answer; others do.
    let away: [String]?
  }
}

/// The stored times that a wrong clock has set, at most about a minute old: `ringfence doctor` explains them.
private final class WrongTimes: Sendable {
  private let operations: OperationStore
  private let state = Mutex<(names: [String], askedAt: ContinuousClock.Instant?)>(([], nil))

  init(operations: OperationStore) {
    self.operations = operations
  }

  /// The names in the last answer of the database, which is asked again in the background.
  func known() -> [String] {
    let (names, asks) = state.withLock { state in
      let asks = state.askedAt.map { .now - $0 >= .seconds(60) } ?? true
      if asks { state.askedAt = .now }
      return (state.names, asks)
    }
    if asks {
      Task {
        let found = try await withDeadline { [operations] in try await operations.wrongTimes(at: Date()) }
        state.withLock { $0.names = found.map(\.time.rawValue) }
      }
    }
    return names
  }
}

extension HealthStore {
  /// The nodes, each with whether it answers within 0.8 seconds.
  package func states() async -> [(name: String, answers: Bool)] {
    guard let nodes = try? await withDeadline(.milliseconds(800), { await nodes() }) else {
      return [("coordinator", false)]
    }
    return await withTaskGroup(of: (String, Bool).self) { group in
      for node in nodes {
        group.addTask { (node.name, (try? await withDeadline(.milliseconds(800)) { try await node.check() }) != nil) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
    }
  }
}
