// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Synchronization

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
