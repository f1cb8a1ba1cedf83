// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import Logging
import Synchronization

/// A swift-metrics backend for Prometheus.
///
/// Series are created once, together with the type that measures; measuring then costs an atomic addition. Ringfence's
/// metrics are documented in ``MetricDescriptions``; libraries add other metrics.
public final class PrometheusMetricsFactory: MetricsFactory {
  /// Adds values that are read at the time of a scrape.
  public typealias Collector = @Sendable (inout Exposition) async -> Void

  private struct State {
    var families: MetricFamilies
    var collectors: [Collector] = []
  }

  private let descriptions: [String: MetricDescription]
  private let logger: Logger
  private let state: Mutex<State>

  /// - Parameter logger: gets one entry for each metric that is not shown completely.
  public convenience init(logger: Logger = Logger(label: "ringfence")) {
    self.init(MetricDescriptions.all, logger: logger)
  }

  init(_ descriptions: [String: MetricDescription], logger: Logger = Logger(label: "ringfence")) {
    self.descriptions = descriptions
    self.logger = logger
    state = Mutex(State(families: MetricFamilies(descriptions)))
  }

  /// Adds a collector, which is called whenever the metrics are read.
  public func collect(_ collector: @escaping Collector) {
    state.withLock { $0.collectors.append(collector) }
  }

  /// All metrics as text: names in ascending order, then the collected values.
  public func text(_ format: Exposition.Format = .prometheus) async -> String {
    let (families, collectors) = state.withLock { ($0.families.entries, $0.collectors) }
    var exposition = Exposition(format, descriptions)
    for (name, entries) in families.sorted(by: { $0.key < $1.key }) {
      let series = entries.values.sorted { $0.order < $1.order }.map(\.series)
      guard let first = series.first else { continue }
      exposition.head(name, type(of: first).kind)
      for series in series { series.write(to: &exposition) }
    }
    for collector in collectors { await collector(&exposition) }
    return exposition.text
  }

  // MARK: MetricsFactory

  /// A counter; its name ends in `_total`, even if the label does not.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, suffix: "_total", dimensions) as CounterSeries
  }

  /// A counter, as ``makeCounter(label:dimensions:)``, which returns it for the same label.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    series(label, suffix: "_total", dimensions) as CounterSeries
  }

  /// A gauge.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions) as GaugeSeries
  }

  /// A histogram where values are aggregated, otherwise a gauge.
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    if aggregate { return series(label, dimensions, buckets: MetricDescription.decades) as HistogramSeries }
    return series(label, dimensions) as GaugeSeries
  }

  /// A histogram of seconds; its name ends in `_seconds`, even if the label does not.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, suffix: "_seconds", dimensions, buckets: MetricDescription.seconds) as HistogramSeries
  }

  /// Removes a gauge: a value that is never set again is meaningless.
  public func destroyMeter(_ handler: any MeterHandler) {
    if let gauge = handler as? GaugeSeries { state.withLock { $0.families.release(gauge) } }
  }

  /// Removes a gauge, as ``destroyMeter(_:)``; keeps a histogram.
  public func destroyRecorder(_ handler: any RecorderHandler) {
    if let gauge = handler as? GaugeSeries { state.withLock { $0.families.release(gauge) } }
  }

  /// Keeps the counter: Prometheus would interpret a smaller total as a restart.
  public func destroyCounter(_ handler: any CounterHandler) {}

  /// Keeps the counter, as ``destroyCounter(_:)``.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}

  /// Keeps the histogram, as ``destroyCounter(_:)``.
  public func destroyTimer(_ handler: any TimerHandler) {}

  private func series<Series: MetricSeries>(
    _ label: String, suffix: String = "", _ dimensions: [(String, String)], buckets: [Double] = []
  ) -> Series {
    let plain = PrometheusText.name(label)
    let name = plain.hasSuffix(suffix) ? plain : plain + suffix
    let id = SeriesID(metric: name, labels: PrometheusText.labels(dimensions))
    let description =
      descriptions[name] ?? MetricDescription(kind: Series.kind, help: MetricDescription.libraryHelp, buckets: buckets)
    let (series, problem) = state.withLock { state -> (Series, MetricFamilies.Problem?) in
      state.families.series(id, description)
    }
    // Outside the lock, since a log handler may measure too.
    if let problem { log(problem, of: name) }
    return series
  }

  private func log(_ problem: MetricFamilies.Problem, of metric: String) {
    let message: Logger.Message =
      switch problem {
      case .nameTaken(let other): "Metric is not shown: its name belongs to the metric \(other)."
      case .tooManyMetrics: "Metric is not shown: there are \(MetricFamilies.limit) metrics already."
      case .tooManySeries(let limit): "Metric has more than \(limit) series: further ones are counted together."
      }
    logger.warning(message, metadata: ["metric": .string(metric)])
  }
}
