import HTTPTypes
import Synchronization
import Telemetry

/// Counts requests and times answers, by route, method and class of status.
final class RequestMetrics: Sendable {
  /// Of one route and method.
  struct Series: Sendable {
    fileprivate let classes: [Counter]
    fileprivate let duration: Histogram

    /// - Parameter status: of the answer.
    func note(status: Int, duration: Duration) {
      classes[min(max(status / 100, 1), 5) - 1].add()
      self.duration.note(duration)
    }
  }

  private struct Key: Hashable {
    let route: String
    let method: HTTPRequest.Method
  }

  /// `POST /v1/reports`, which most requests are.
  let reports: Series
  /// Requests that are not answered yet.
  let inProgress: Level
  /// Connections that are open.
  let connections: Level
  /// Connections that were closed at once, since their network had too many.
  let refusedConnections: Counter

  private let registry: MetricsRegistry
  private let known: Mutex<[Key: Series]>

  init(_ registry: MetricsRegistry) {
    self.registry = registry
    let reports = Self.series(Key(route: "/v1/reports", method: .post), registry)
    self.reports = reports
    known = Mutex([Key(route: "/v1/reports", method: .post): reports])
    inProgress = registry.level("ringfence_http_requests_in_progress", "Requests that are not answered yet.")
    connections = registry.level("ringfence_http_connections", "Connections that are open.")
    refusedConnections = registry.counter(
      "ringfence_http_connections_refused_total", "Connections closed at once: their network had too many.")
  }

  /// - Parameters:
  ///   - route: the pattern of the route; nil for what no route answers.
  ///   - method: of a request without a route it is not told, since anything can stand there.
  func note(route: String?, method: HTTPRequest.Method, status: Int, duration: Duration) {
    let key = route.map { Key(route: $0, method: method) } ?? Key(route: "none", method: .init("any") ?? .get)
    let series = known.withLock { known in
      if let series = known[key] { return series }
      let made = Self.series(key, registry)
      known[key] = made
      return made
    }
    series.note(status: status, duration: duration)
  }

  private static func series(_ key: Key, _ registry: MetricsRegistry) -> Series {
    let (route, method) = (Label("route", key.route), Label("method", key.method.rawValue))
    return Series(
      classes: (1...5).map { digit in
        registry.counter(
          "ringfence_http_requests_total", "Answers, by pattern of route, method and class of status.", route, method,
          Label("status", "\(digit)xx"))
      },
      duration: registry.histogram(
        "ringfence_http_request_duration_seconds", "From a request's head to the head of its answer.",
        Histogram.seconds, route, method))
  }
}
