import HTTPServer
import ServiceLifecycle

/// Told first that the server is to stop: turns readiness red, and keeps the listener open for a while when a balancer
/// needs one to notice.
struct ReadinessService: Service {
  let readiness: Readiness
  let drain: Duration

  func run() async throws {
    // Also stopped by a failure elsewhere: red in any case.
    defer { readiness.stop() }
    try await gracefulShutdown()
    readiness.stop()
    if drain > .zero { try await Task.sleep(for: drain) }
  }
}
