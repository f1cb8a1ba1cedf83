// SPDX-License-Identifier: Apache-2.0

import Metrics
import Testing

@testable import ServerSupport

@Suite struct ExpositionTests {
  @Test func `series are written in the format of Prometheus`() async {
    let metrics = PrometheusMetricsFactory([
      "a_total": .counter("All\nof \\ it."), "b_seconds": .histogram("Times.", [0.5, 1]),
    ])
    Counter(label: "a_total", dimensions: [("x", "quote \" slash \\ line\n")], factory: metrics).increment(by: 3)
    Counter(label: "a_total", dimensions: [("x", "other")], factory: metrics).increment()
    let values = Recorder(label: "b_seconds", factory: metrics)
    for value in [0.25, 0.5, 0.75, 3] { values.record(value) }
    Timer(label: "b_seconds", factory: metrics).record(duration: .milliseconds(250))
    #expect(
      await metrics.text() == """
        # HELP a_total All\\nof \\\\ it.
        # TYPE a_total counter
        a_total{x="quote \\" slash \\\\ line\\n"} 3
        a_total{x="other"} 1
        # HELP b_seconds Times.
        # TYPE b_seconds histogram
        b_seconds_bucket{le="0.5"} 3
        b_seconds_bucket{le="1"} 4
        b_seconds_bucket{le="+Inf"} 5
        b_seconds_sum 4.75
        b_seconds_count 5

        """)
    let open = await metrics.text(.openMetrics)
    #expect(open.contains("# TYPE a counter\n") && open.hasSuffix("\n# EOF\n"))
  }

  @Test func `the same labels always give the same series`() {
    let metrics = PrometheusMetricsFactory([:])
    let (first, second) = (
      metrics.makeCounter(label: "a_total", dimensions: [("x", "1"), ("y", "2")]),
      metrics.makeCounter(label: "a_total", dimensions: [("y", "2"), ("x", "1")])
    )
    #expect(first === second)
    #expect(metrics.makeCounter(label: "a_total", dimensions: [("x", "2"), ("y", "2")]) !== first)
  }

  /// Not a claim about speed: what is noted from many threads is all there.
  @Test func `values from many threads are all counted`() async throws {
    let metrics = PrometheusMetricsFactory(["b": .histogram("", [1, 2])])
    let (counter, histogram) = (Counter(label: "a", factory: metrics), Recorder(label: "b", factory: metrics))
    let (level, timer) = (Meter(label: "c", factory: metrics), Timer(label: "d", factory: metrics))
    let fractions = FloatingPointCounter(label: "e", factory: metrics)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for value in 0..<1_000 {
            counter.increment()
            histogram.record(Double(value % 3) + 0.5)
            level.increment(by: 2.0)
            level.decrement()
            timer.recordMilliseconds(1)
            fractions.increment(by: 0.5)
          }
        }
      }
    }
    let reading = try #require(metrics.makeRecorder(label: "b", dimensions: [], aggregate: true) as? HistogramSeries)
      .reading
    #expect(reading.cumulative == [2_672, 5_336, 8_000])
    #expect(reading.sum == 8.0 * (334 * 0.5 + 333 * 1.5 + 333 * 2.5))
    let lines = Set(await metrics.text().split(separator: "\n"))
    #expect(
      lines.isSuperset(of: ["a_total 8000", "c 8000", "d_seconds_sum 8", "d_seconds_count 8000", "e_total 4000"]))
  }
}
