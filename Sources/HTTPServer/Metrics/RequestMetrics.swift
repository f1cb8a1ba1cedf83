// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Metrics
import Synchronization

/// Counts requests and their durations by route, method and status class.
package final class RequestMetrics: Sendable {
  /// The metrics of one route and method.
  package struct Series: Sendable {
    fileprivate let classes: [Counter]
    fileprivate let duration: Timer

    /// - Parameter status: of the response.
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
  package let inProgress: Meter
  /// Open connections.
  package let connections: Meter
  /// Connections closed at once because their network had too many.
  package let refusedConnections: Counter

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
