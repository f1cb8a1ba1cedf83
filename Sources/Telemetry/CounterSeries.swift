// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Synchronization

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
