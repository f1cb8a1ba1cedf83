// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Logging
import Synchronization
import Testing

@Suite struct FailureLogTests {
  private struct Handler: LogHandler {
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]
    let lines: Lines

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines.all.withLock { $0.append("\(event.message) \(event.metadata?["omitted"]?.description ?? "-")") }
    }
  }

  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  @Test func `the failure log writes one line a second and counts the others`() {
    let (log, lines, start) = (FailureLog(), Lines(), ContinuousClock.now)
    let logger = Logger(label: "test") { _ in Handler(lines: lines) }
    for milliseconds in stride(from: 0, to: 2_500, by: 10) {
      log.note("failed", metadata: [:], to: logger, at: start + .milliseconds(milliseconds))
    }
    #expect(lines.all.withLock { $0 } == ["failed -", "failed 99", "failed 99"])
  }
}
