import HTTPTypes
package import Hummingbird
package import Intake
package import Storage

/// `GET /healthz` and `GET /readyz`
package struct HealthController: Sendable {
  package let health: HealthStore
  package let intake: ReportIntake
  package let readiness: Readiness

  package init(health: HealthStore, intake: ReportIntake, readiness: Readiness) {
    self.health = health
    self.intake = intake
    self.readiness = readiness
  }

  /// The process runs.
  @Sendable package func alive(_ request: Request, context: ServerRequestContext) -> Response {
    JSON.response(["status": "alive"])
  }

  /// How long a failed commit counts. A balancer sends no reports meanwhile, so that none could show that it is over.
  private static let memory = Duration.seconds(10)

  /// The process wants requests: it is not about to stop, there is room for reports, they are stored, and the database answers
  /// within a second.
  @Sendable package func ready(_ request: Request, context: ServerRequestContext) async throws -> Response {
    if readiness.isStopping { throw Problem.stopping }
    // Turns red a little before reports are refused, so that a balancer sends them elsewhere in time.
    if intake.depth * 10 >= intake.capacity * 9 {
      throw Problem(.unavailable, detail: "The intake queue is nearly full.")
    }
    if intake.isFailing(within: Self.memory) {
      throw Problem(.unavailable, detail: "The last reports could not be stored.")
    }
    do {
      try await withDeadline(.milliseconds(800)) { [health] in try await health.check() }
    } catch {
      // Asked for every few seconds: the log would say nothing else.
      throw Problem(.unavailable, detail: "The database does not answer.")
    }
    return JSON.response(["status": "ready"])
  }
}
