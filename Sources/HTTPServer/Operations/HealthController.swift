// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird
package import Intake
package import Storage

/// `GET /healthz` and `GET /readyz`
package struct HealthController: Sendable {
  package let health: HealthStore
  package let intake: ReportIntake
  package let readiness: Readiness
  private let rights: RightsService?

  /// - Parameter rights: with the erasure journal; nil for none.
  package init(health: HealthStore, intake: ReportIntake, readiness: Readiness, rights: RightsService? = nil) {
    self.rights = rights
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
  /// erasure journal can be written, and the database answers within a second.
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
    do {
      try await withDeadline(.milliseconds(800)) { [health] in try await health.check() }
    } catch {
      // Not logged, because load balancers ask every few seconds.
      throw Problem(.unavailable, detail: "The database does not answer.")
    }
    return JSON.response(["status": "ready"])
  }
}
