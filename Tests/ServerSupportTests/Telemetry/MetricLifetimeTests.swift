// SPDX-License-Identifier: Apache-2.0

import Metrics
import Testing

@testable import ServerSupport

@Suite struct MetricLifetimeTests {
  @Test func `destroyed gauges disappear`() async {
    let metrics = PrometheusMetricsFactory([:])
    let (gauge, meter) = (Gauge(label: "g", factory: metrics), Meter(label: "m", factory: metrics))
    gauge.record(1)
    meter.set(2)
    #expect(await metrics.text().contains("\ng 1\n"))
    gauge.destroy()
    meter.destroy()
    gauge.record(3)
    #expect(await metrics.text() == "")
    Meter(label: "m", factory: metrics).increment()
    #expect(await metrics.text().contains("\nm 1\n"))
    meter.destroy()
    #expect(await metrics.text().contains("\nm 1\n"), "the one that is destroyed is not the one that is shown")
  }

  @Test func `a gauge stays until its last user destroys it`() async {
    let metrics = PrometheusMetricsFactory([:])
    let gauges = (0..<2).map { _ in Gauge(label: "g", dimensions: [("a", "b")], factory: metrics) }
    gauges[0].record(5)
    gauges[0].destroy()
    #expect(await metrics.text().contains(#"g{a="b"} 5"#))
    gauges[1].destroy()
    #expect(await metrics.text() == "")
  }

  /// A total that began again at 0 would lose what was counted before.
  @Test func `destroyed counters and histograms keep counting`() async {
    let metrics = PrometheusMetricsFactory([:])
    for _ in 0..<2 {
      let (counter, timer) = (Counter(label: "c", factory: metrics), Timer(label: "t", factory: metrics))
      let (fractions, recorder) = (
        FloatingPointCounter(label: "f", factory: metrics), Recorder(label: "r", factory: metrics)
      )
      counter.increment()
      timer.recordSeconds(1)
      fractions.increment(by: 0.25)
      recorder.record(1)
      counter.destroy()
      timer.destroy()
      fractions.destroy()
      recorder.destroy()
    }
    let lines = Set(await metrics.text().split(separator: "\n"))
    #expect(lines.isSuperset(of: ["c_total 2", "t_seconds_count 2", "f_total 0.5", "r_count 2"]))
  }

  @Test func `series can be created, read and destroyed in parallel`() async {
    let metrics = PrometheusMetricsFactory([:])
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for i in 0..<500 {
            Counter(label: "c", dimensions: [("i", "\(i % 50)")], factory: metrics).increment()
            let gauge = Gauge(label: "g", dimensions: [("i", "\(i % 7)")], factory: metrics)
            gauge.record(i)
            gauge.destroy()
            if i % 100 == task { _ = await metrics.text() }
          }
        }
      }
    }
    let lines = await metrics.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(Set(lines) == Set((0..<50).map { Substring(#"c_total{i="\#($0)"} 80"#) }))
  }
}
