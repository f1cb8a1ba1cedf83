// SPDX-License-Identifier: Apache-2.0

import Logging
import ServiceLifecycle
import Synchronization
import Testing
@testable import HTTPServer
@testable import RingfenceCommand

@Suite struct ReadinessServiceTests {
  /// Simulates the listener: notes whether readiness had failed when it was told to stop.
  private final class Listener: Service {
    let readiness: Readiness
    let isUp = AsyncStream<Void>.makeStream()
    private let sawRed = Atomic(false)

    var wasRed: Bool { sawRed.load(ordering: .acquiring) }

    init(readiness: Readiness) {
      self.readiness = readiness
    }

    func run() async throws {
      isUp.continuation.finish()
      try await gracefulShutdown()
      sawRed.store(readiness.isStopping, ordering: .releasing)
    }
  }

  @Test(arguments: [Duration.zero, .milliseconds(1)])
  func `readiness fails before the listener stops`(drain: Duration) async throws {
    let readiness = Readiness()
    let listener = Listener(readiness: readiness)
    let group = ServiceGroup(
      services: [listener, ReadinessService(readiness: readiness, drain: drain)], logger: Logger(label: "tests"))
    async let running: Void = group.run()
    for await _ in listener.isUp.stream {}
    await group.triggerGracefulShutdown()
    try await running
    #expect(listener.wasRed)
  }
}
