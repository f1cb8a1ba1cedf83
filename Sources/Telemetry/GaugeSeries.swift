// SPDX-License-Identifier: Apache-2.0

import CoreMetrics

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
