// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HTTPServer

@Suite struct DeadlineTests {
  private final class Checks: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  @Test func `work continues while the check succeeds`() async {
    let checks = Checks()
    await #expect(throws: DeadlineExceeded.self) {
      try await withDeadline(.milliseconds(5), extendedWhile: { checks.next() < 3 }) {
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    #expect(checks.next() == 4)
  }

  @Test func `work ends when the database does not answer`() async {
    let deadline = DatabaseDeadline { try await Task.sleep(for: .seconds(3_600)) }
    let began = ContinuousClock.now
    await #expect(throws: DeadlineExceeded.self) {
      try await deadline.run { try await Task.sleep(for: .seconds(3_600)) }
    }
    // 4 seconds, and much more for a busy machine.
    #expect(ContinuousClock.now - began < .seconds(60))
  }
}
