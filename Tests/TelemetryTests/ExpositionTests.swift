import Testing

@testable import Telemetry

@Suite struct ExpositionTests {
  @Test func seriesAreWrittenAsPrometheusReadsThem() async {
    let metrics = MetricsRegistry()
    metrics.counter("a_total", "All\nof \\ it.", Label("x", "quote \" slash \\ line\n")).add(3)
    metrics.counter("a_total", "All\nof \\ it.", Label("x", "other")).add()
    let histogram = metrics.histogram("b_seconds", "Times.", [0.5, 1])
    for value in [0.25, 0.5, 0.75, 3] { histogram.note(value) }
    histogram.note(.milliseconds(250))
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

  @Test func aSeriesIsOneHoweverOftenItIsAskedFor() {
    let metrics = MetricsRegistry()
    let (first, second) = (
      metrics.counter("a_total", "", Label("x", "1")), metrics.counter("a_total", "", Label("x", "1"))
    )
    #expect(first === second)
    #expect(metrics.counter("a_total", "", Label("x", "2")) !== first)
  }

  /// Not a claim about speed: what is noted from many threads is all there.
  @Test func nothingIsLostBetweenThreads() async {
    let metrics = MetricsRegistry()
    let (counter, histogram) = (metrics.counter("a_total", ""), metrics.histogram("b", "", [1, 2]))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for value in 0..<1_000 {
            counter.add()
            histogram.note(Double(value % 3) + 0.5)
          }
        }
      }
    }
    #expect(counter.value == 8_000)
    #expect(histogram.reading.cumulative == [2_672, 5_336, 8_000])
    #expect(histogram.reading.sum == 8.0 * (334 * 0.5 + 333 * 1.5 + 333 * 2.5))
  }
}
