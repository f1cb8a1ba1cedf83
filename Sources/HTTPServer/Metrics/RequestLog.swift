// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Telemetry

/// A log line for each request, if the operator enables it.
package struct RequestLog: Sendable {
  package let isOn: Bool
  package let logger: Logger
  /// Internal failures; they are logged regardless of ``isOn``.
  package let failures = FailureLog()

  package init(isOn: Bool, logger: Logger) {
    self.isOn = isOn
    self.logger = logger
  }

  /// - Parameters:
  /// - route: a pattern, because addresses contain numbers and secrets.
  package func note(route: String, method: String, id: RequestID, status: Int, duration: Duration) {
    guard isOn else { return }
    logger.info(
      "request",
      metadata: [
        "request_id": .string(id.text), "http.route": .string(route), "http.method": .string(method),
        "http.status": .stringConvertible(status),
        "duration_ms": .string(String(Double(Int(duration / .microseconds(1))) / 1_000)),
      ])
  }
}
