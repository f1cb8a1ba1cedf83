// SPDX-License-Identifier: Apache-2.0

/// A metric's kind, its help text and its limits.
struct MetricDescription: Sendable {
  let kind: MetricKind
  let help: String
  /// Upper bounds of a histogram's buckets, ascending; the last bucket has none.
  var buckets: [Double] = []
  /// The most separate series.
  var mostSeries = 1_000

  /// The help text of metrics of libraries.
  static let libraryHelp = "Measured by a library."

  /// Bounds for response times, in seconds: 0.5 ms to 10 s.
  static let seconds: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// Bounds for the items of a batch: 1 to 2,000.
  static let items: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]

  /// Bounds for values of an unknown unit: 0.001 to 1,000,000,000.
  static let decades: [Double] = [0.001, 0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  static func counter(_ help: String, mostSeries: Int = 1_000) -> Self {
    Self(kind: .counter, help: help, mostSeries: mostSeries)
  }

  static func gauge(_ help: String) -> Self { Self(kind: .gauge, help: help) }

  static func histogram(_ help: String, _ buckets: [Double], mostSeries: Int = 1_000) -> Self {
    Self(kind: .histogram, help: help, buckets: buckets, mostSeries: mostSeries)
  }
}
