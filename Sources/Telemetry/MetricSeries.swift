// SPDX-License-Identifier: Apache-2.0

/// The kinds of metrics of Prometheus, by their names in its text.
enum MetricKind: String, Sendable {
  case counter, gauge, histogram

  /// The names of a metric in the text; no other metric may have them.
  /// - Parameter metric: the name; that of a counter ends in `_total`.
  func names(of metric: String) -> [String] {
    switch self {
    // OpenMetrics declares a counter without its suffix.
    case .counter: [metric, String(metric.dropLast("_total".count))]
    case .gauge: [metric]
    case .histogram: [metric] + ["_bucket", "_sum", "_count"].map { metric + $0 }
    }
  }
}

/// The name of a metric and the labels of one of its series, in their written form.
struct SeriesID: Sendable, Hashable {
  let metric: String
  /// Such as `route="/healthz",status="2xx"`; may be empty.
  let labels: String
}

/// The values of a metric under one set of labels.
protocol MetricSeries: AnyObject, Sendable {
  static var kind: MetricKind { get }
  var id: SeriesID { get }

  /// - Parameter buckets: upper bounds, ascending; only histograms have any.
  init(_ id: SeriesID, buckets: [Double])

  /// Writes the lines with its values, below the metric's head.
  func write(to exposition: inout Exposition)
}
