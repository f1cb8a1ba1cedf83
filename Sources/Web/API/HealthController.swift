import HTTPTypes
import Hummingbird
import Intake
import Storage

/// `GET /healthz` and `GET /readyz`
struct HealthController: Sendable {
  let health: HealthStore
  let intake: ReportIntake
  let readiness: Readiness

  /// The process runs.
  @Sendable func alive(_ request: Request, context: WebContext) -> Response {
    JSON.response(["status": "alive"])
  }

  /// The process wants requests: it is not about to stop, there is room for reports, and the database answers.
  @Sendable func ready(_ request: Request, context: WebContext) async throws -> Response {
    if readiness.isStopping { throw Problem.stopping }
    // Turns red a little before reports are refused, so that a balancer sends them elsewhere in time.
    if intake.depth * 10 >= intake.capacity * 9 {
      throw Problem(.unavailable, detail: "The queue of reports that wait to be stored is nearly full.")
    }
    do {
      try await health.check()
    } catch {
      // Asked for every few seconds: the log would say nothing else.
      throw Problem(.unavailable, detail: "The database does not answer.")
    }
    return JSON.response(["status": "ready"])
  }
}
