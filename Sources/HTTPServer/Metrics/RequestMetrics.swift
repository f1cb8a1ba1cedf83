// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Hummingbird
package import Logging
package import Metrics
import Synchronization
package import ServerSupport
package import struct ServerSupport.RequestID

/// Counts requests and their durations by route, method and status class.
package final class RequestMetrics: Sendable {
  /// The metrics of one route and method.
  package struct Series: Sendable {
    fileprivate let classes: [Counter]
    fileprivate let duration: Timer

    package func note(status: Int, duration: Duration) {
      classes[min(max(status / 100, 1), 5) - 1].increment()
      self.duration.record(duration: duration)
    }
  }

  private struct Key: Hashable {
    let route: String
    let method: HTTPRequest.Method
  }

  /// `POST /v1/reports`, the most frequent request.
  package let reports: Series
  /// Requests without a response so far.
  let inProgress: Meter
  package let connections: Meter
  /// Connections closed at once because their network had too many.
  let refusedConnections: Counter
  /// Idle connections closed because others waited.
  package let shedConnections: Counter

  private let factory: any MetricsFactory
  private let known: Mutex<[Key: Series]>

  package init(_ factory: any MetricsFactory) {
    self.factory = factory
    let reports = Self.series(Key(route: "/v1/reports", method: .post), factory)
    self.reports = reports
    known = Mutex([Key(route: "/v1/reports", method: .post): reports])
    inProgress = Meter(label: "ringfence_http_requests_in_progress", factory: factory)
    connections = Meter(label: "ringfence_http_connections", factory: factory)
    refusedConnections = Counter(label: "ringfence_http_connections_refused_total", factory: factory)
    shedConnections = Counter(label: "ringfence_http_connections_shed_total", factory: factory)
  }

  /// - Parameters:
  /// - route: the pattern of the route; nil if none matches.
  /// - method: ignored without a route, because clients may send any text.
  package func note(route: String?, method: HTTPRequest.Method, status: Int, duration: Duration) {
    let key = route.map { Key(route: $0, method: method) } ?? Key(route: "none", method: .init("any") ?? .get)
    let series = known.withLock { known in
      if let series = known[key] { return series }
      let made = Self.series(key, factory)
      known[key] = made
      return made
    }
    series.note(status: status, duration: duration)
  }

  private static func series(_ key: Key, _ factory: any MetricsFactory) -> Series {
    let labels = [("route", key.route), ("method", key.method.rawValue)]
    return Series(
      classes: (1...5).map { digit in
        Counter(
          label: "ringfence_http_requests_total", dimensions: labels + [("status", "\(digit)xx")], factory: factory)
      },
      duration: Timer(label: "ringfence_http_request_duration_seconds", dimensions: labels, factory: factory))
  }
}

/// Assigns an id to each request, records its duration, and logs it if enabled. It uses the route's pattern, because
/// addresses may contain numbers and secrets.
package struct ObservationMiddleware: RouterMiddleware {
  package let metrics: RequestMetrics
  package let log: RequestLog

  package init(metrics: RequestMetrics, log: RequestLog) {
    self.metrics = metrics
    self.log = log
  }

  package static let field = HTTPField.Name("X-Request-Id")!

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let began = ContinuousClock.now
    let id = RequestID(given: request.headers[Self.field])
    var context = context
    context.logger[metadataKey: "hb.request.id"] = .string(id.text)
    metrics.inProgress.increment()
    defer { metrics.inProgress.decrement() }
    do {
      var response = try await next(request, context)
      response.headers[Self.field] = id.text
      note(request, context, id, status: response.status.code, since: began)
      return response
    } catch {
      // Only errors that the server answers itself before it closes the connection arrive here.
      note(request, context, id, status: 400, since: began)
      throw error
    }
  }

  private func note(
    _ request: Request, _ context: ServerRequestContext, _ id: RequestID, status: Int,
    since began: ContinuousClock.Instant
  ) {
    let duration = ContinuousClock.now - began
    let route = context.route
    metrics.note(route: route, method: request.method, status: status, duration: duration)
    log.note(route: route ?? "none", method: request.method.rawValue, id: id, status: status, duration: duration)
  }
}

extension ServerRequestContext {
  /// The pattern of the matching route, such as `/v1/numbers/{number}`; nil if none matches.
  package var route: String? {
    endpointPath.flatMap { $0 == "NotFound" ? nil : $0 }
  }
}

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
