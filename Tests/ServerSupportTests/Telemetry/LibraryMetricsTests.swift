// SPDX-License-Identifier: Apache-2.0

import Metrics
import Testing

@testable import ServerSupport

/// Metrics that no ``MetricDescription`` describes.
@Suite struct LibraryMetricsTests {
  @Test func `every kind of metric has a valid name`() async {
    let metrics = PrometheusMetricsFactory()
    withMetricsFactory(metrics) {
      Counter(label: "lib.calls", dimensions: [("rpc.method", "GET")]).increment(by: 2)
      FloatingPointCounter(label: "lib.energy_total").increment(by: 1.5)
      Gauge(label: "lib.size").record(-3)
      Meter(label: "2nd-meter").increment(by: 0.25)
      Timer(label: "lib.duration").recordMilliseconds(30)
      Recorder(label: "lib.bytes").record(50)
    }
    let text = await metrics.text()
    let lines = Set(text.split(separator: "\n").map(String.init))
    #expect(
      lines.isSuperset(of: [
        "# HELP lib_calls_total Measured by a library.",
        "# TYPE lib_calls_total counter", #"lib_calls_total{rpc_method="GET"} 2"#,
        "# TYPE lib_energy_total counter", "lib_energy_total 1.5",
        "# TYPE lib_size gauge", "lib_size -3",
        "# TYPE _2nd_meter gauge", "_2nd_meter 0.25",
        "# TYPE lib_duration_seconds histogram", #"lib_duration_seconds_bucket{le="0.025"} 0"#,
        #"lib_duration_seconds_bucket{le="0.05"} 1"#, "lib_duration_seconds_sum 0.03",
        "# TYPE lib_bytes histogram", #"lib_bytes_bucket{le="10"} 0"#, #"lib_bytes_bucket{le="100"} 1"#,
      ]))
    #expect(!text.contains("lib_energy_total_total"))
  }

  @Test func `unusual labels and values keep the text valid`() async {
    let metrics = PrometheusMetricsFactory([:])
    let timer = Timer(label: "t", dimensions: [("le", "1"), ("a.b", "first"), ("a_b", "second")], factory: metrics)
    timer.recordNanoseconds(-1)
    let recorder = Recorder(label: "r", factory: metrics)
    for value in [-2, .infinity, .nan, 0.5] { recorder.record(value) }
    let counter = Counter(label: "c", factory: metrics)
    counter.increment(by: 3)
    counter.increment(by: -1)
    let fractions = FloatingPointCounter(label: "c", factory: metrics)
    for value in [0.5, -0.5, .infinity, .nan] { fractions.increment(by: value) }
    Gauge(label: "g", factory: metrics).record(-Double.infinity)
    Gauge(label: "h", factory: metrics).record(Double.nan)
    let lines = Set(await metrics.text().split(separator: "\n"))
    #expect(
      lines.isSuperset(of: [
        #"t_seconds_count{a_b="first",exported_le="1"} 1"#, #"t_seconds_sum{a_b="first",exported_le="1"} 0"#,
        "r_count 2", "r_sum -1.5", "c_total 3.5", "g -Inf", "h NaN",
      ]))
    counter.reset()
    #expect(await metrics.text().contains("\nc_total 0\n"))
  }

  @Test func `series beyond the limit are counted together`() async {
    let log = LogLines()
    let metrics = PrometheusMetricsFactory([:], logger: log.logger)
    for _ in 0..<2 {
      for i in 0..<1_500 { Counter(label: "c", dimensions: [("i", "\(i)")], factory: metrics).increment() }
    }
    let lines = await metrics.text().split(separator: "\n").filter { $0.hasPrefix("c_total{") }
    #expect(lines.count == 1_001)
    #expect(lines.contains(#"c_total{i="0"} 2"#) && lines.contains(#"c_total{i="999"} 2"#))
    #expect(lines.last == #"c_total{overflow="true"} 1000"#)
    #expect(log.lines == ["Metric has more than 1000 series: further ones are counted together. c_total"])
  }

  @Test func `metrics beyond the limit are not shown`() async {
    let log = LogLines()
    let metrics = PrometheusMetricsFactory([:], logger: log.logger)
    for i in 0..<1_500 { Gauge(label: "g\(i)", factory: metrics).record(1) }
    #expect(await metrics.text().split(separator: "\n").count { $0.hasPrefix("# TYPE") } == 1_000)
    #expect(log.lines == ["Metric is not shown: there are 1000 metrics already. g1000"])
  }

  /// In one of the two formats the names would clash, and Prometheus would refuse all of the text.
  @Test func `a name belongs to the first metric that takes it`() async {
    let log = LogLines()
    let metrics = PrometheusMetricsFactory(["described": .histogram("", [1])], logger: log.logger)
    Counter(label: "x", factory: metrics).increment(by: 7)
    for _ in 0..<3 {
      Gauge(label: "x", factory: metrics).record(1)
      Gauge(label: "x_total", factory: metrics).record(1)
      Gauge(label: "described_sum", factory: metrics).record(1)
      Meter(label: "described", factory: metrics).set(1)
    }
    #expect(
      await metrics.text() == """
        # HELP x_total Measured by a library.
        # TYPE x_total counter
        x_total 7

        """)
    let taken = "Metric is not shown: its name belongs to the metric "
    #expect(
      log.lines == [
        "\(taken)x_total. x", "\(taken)x_total. x_total", "\(taken)described. described_sum",
        "\(taken)described. described",
      ])
  }
}
