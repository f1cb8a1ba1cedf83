// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import ServiceLifecycle

/// The first service to stop: readiness fails, and the listener stays open for a while if a load balancer needs time to
/// notice.
struct ReadinessService: Service {
  let readiness: Readiness
  let drain: Duration

  func run() async throws {
    // A failure of another service stops this one too; readiness fails in any case.
    defer { readiness.stop() }
    try await gracefulShutdown()
    readiness.stop()
    if drain > .zero { try await Task.sleep(for: drain) }
  }
}
