import Logging
import Telemetry

/// A line of the log for each request, where the operator wants it.
struct RequestLog: Sendable {
  let isOn: Bool
  let logger: Logger

  /// - Parameters:
  ///   - route: a pattern, since addresses hold numbers and secrets.
  func note(route: String, method: String, id: RequestName, status: Int, duration: Duration) {
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
