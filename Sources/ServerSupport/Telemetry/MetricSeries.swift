// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Synchronization

/// The kinds of metrics of Prometheus, by their names in its text.
enum MetricKind: String, Sendable {
  case counter, gauge, histogram

  /// The names of a metric in the text; no other metric may have them.
  /// - Parameter metric: the name; the name of a counter ends in `_total`.
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

/// A number that several threads can set and add to.
struct AtomicDouble: ~Copyable, Sendable {
  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  func add(_ amount: Double) {
    var known = bits.load(ordering: .relaxed)
    while true {
      let sum = Double(bitPattern: known) + amount
      let (isSet, found) = bits.weakCompareExchange(
        expected: known, desired: sum.bitPattern, ordering: .relaxed)
      if isSet { return }
      known = found
    }
  }
}

/// A count that only rises, until it is reset; adding a whole number costs one atomic addition.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
  static let kind = MetricKind.counter

  let id: SeriesID
  private let whole = Atomic<Int64>(0)
  private let fractions = AtomicDouble()

  init(_ id: SeriesID, buckets: [Double] = []) { self.id = id }

  var value: Double { Double(whole.load(ordering: .relaxed)) + fractions.value }

  /// Adds to the count; ignores negative amounts.
  func increment(by amount: Int64) {
    if amount > 0 { whole.wrappingAdd(amount, ordering: .relaxed) }
  }

  /// Adds to the count; ignores negative amounts, infinity and NaN.
  func increment(by amount: Double) {
    if amount > 0, amount.isFinite { fractions.add(amount) }
  }

  func reset() {
    whole.store(0, ordering: .relaxed)
    fractions.set(0)
  }

  func write(to exposition: inout Exposition) { exposition.line(id.metric, id.labels, value) }
}

/// A value that rises and falls.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
  static let kind = MetricKind.gauge

  let id: SeriesID
  private let current = AtomicDouble()

  init(_ id: SeriesID, buckets: [Double] = []) { self.id = id }

  var value: Double { current.value }

  func set(_ value: Int64) { current.set(Double(value)) }
  func set(_ value: Double) { current.set(value) }
  func increment(by amount: Double) { current.add(amount) }
  func decrement(by amount: Double) { current.add(-amount) }
  func record(_ value: Int64) { current.set(Double(value)) }
  func record(_ value: Double) { current.set(value) }

  func write(to exposition: inout Exposition) { exposition.line(id.metric, id.labels, value) }
}

/// Counts values by size, with their sum; recording a duration costs a search in the bounds and two atomic additions.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
  static let kind = MetricKind.histogram

  let id: SeriesID
  /// Upper bounds of the buckets, ascending; the last bucket has none.
  private let bounds: [Double]
  private let buckets: [CounterSeries]
  /// The sum of durations, separate from other values so that adding is exact and one instruction.
  private let nanoseconds = Atomic<Int64>(0)
  private let sum = AtomicDouble()

  init(_ id: SeriesID, buckets bounds: [Double]) {
    self.id = id
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in CounterSeries(id) }
  }

  /// Records a duration in seconds; a negative one counts as 0.
  func recordNanoseconds(_ duration: Int64) {
    let duration = max(0, duration)
    nanoseconds.wrappingAdd(duration, ordering: .relaxed)
    count(Double(duration) / 1e9)
  }

  func record(_ value: Int64) { record(Double(value)) }

  /// Records a value; ignores infinity and NaN, which would make the sum useless.
  func record(_ value: Double) {
    guard value.isFinite else { return }
    sum.add(value)
    count(value)
  }

  private func count(_ value: Double) {
    var place = 0
    while place < bounds.count, value > bounds[place] { place += 1 }
    buckets[place].increment(by: Int64(1))
  }

  /// Cumulative counts as in Prometheus, the last without a bound; and the sum.
  var reading: (cumulative: [Double], sum: Double) {
    var total = 0.0
    let cumulative = buckets.map { bucket in
      total += bucket.value
      return total
    }
    return (cumulative, Double(nanoseconds.load(ordering: .relaxed)) / 1e9 + sum.value)
  }

  func write(to exposition: inout Exposition) {
    let (cumulative, sum) = reading
    let before = id.labels.isEmpty ? "" : "\(id.labels),"
    for (bound, count) in zip(bounds.map(PrometheusText.number) + ["+Inf"], cumulative) {
      exposition.line("\(id.metric)_bucket", "\(before)le=\"\(bound)\"", count)
    }
    exposition.line("\(id.metric)_sum", id.labels, sum)
    exposition.line("\(id.metric)_count", id.labels, cumulative.last ?? 0)
  }
}
