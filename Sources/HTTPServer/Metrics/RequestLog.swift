package import Logging
package import Telemetry

/// A line of the log for each request, where the operator wants it.
package struct RequestLog: Sendable {
  package let isOn: Bool
  package let logger: Logger
  /// Failures of ours, whether or not each request has a line.
  package let failures = FailureLog()

  package init(isOn: Bool, logger: Logger) {
    self.isOn = isOn
    self.logger = logger
  }

  /// - Parameters:
  ///   - route: a pattern, since addresses hold numbers and secrets.
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
