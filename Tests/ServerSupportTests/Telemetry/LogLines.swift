// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// A log that is kept: messages, each with the metadata's `metric`.
final class LogLines: Sendable {
  private struct Handler: LogHandler {
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]
    let log: LogLines

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.kept.withLock { $0.append("\(event.message) \(event.metadata?["metric"]?.description ?? "")") }
    }
  }

  private let kept = Mutex<[String]>([])

  var lines: [String] { kept.withLock { $0 } }
  var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }
}
