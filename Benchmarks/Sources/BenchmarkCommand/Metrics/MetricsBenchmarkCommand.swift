// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Metrics
import Telemetry

/// `ringfence-benchmark metrics`
struct MetricsBenchmarkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Measure what the metrics and the id of a request cost.",
    discussion: "Prints processor time, so that other work on the machine does not count. Use a release build.")

  @Option(help: "Requests of a run, 1000 to 1000000000.")
  var requests = 1_000_000

  func validate() throws {
    guard (1_000...1_000_000_000).contains(requests) else {
      throw ValidationError("--requests is 1000 to 1000000000.")
    }
  }

  func run() async throws {
    let work = MeasuredRequest()
    work.perform(100_000)
    var runs: [Double] = []
    for _ in 0..<5 { runs.append(await Self.processorTime { work.perform(requests) }) }
    print("one task: \(Int(runs.sorted()[2]) / requests) ns a request (median of five runs)")
    let time = await Self.processorTime {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { work.perform(requests) } }
      }
    }
    print("four tasks: \(Int(time) / requests / 4) ns a request")
  }

  /// Processor time of the process in nanoseconds.
  private static func processorTime(_ body: () async -> Void) async -> Double {
    func now() -> Double { Double(clock()) * 1e9 / Double(CLOCKS_PER_SEC) }
    let start = now()
    await body()
    return now() - start
  }
}

/// The measurements of one request of the fast path: its id, two readings of the clock, a counter, a histogram.
private struct MeasuredRequest: Sendable {
  private let inProgress: Meter
  private let answers: [Counter]
  private let duration: Metrics.Timer

  init() {
    let factory = PrometheusMetricsFactory()
    inProgress = Meter(label: "ringfence_http_requests_in_progress", factory: factory)
    answers = (1...5).map {
      Counter(label: "ringfence_http_requests_total", dimensions: [("status", "\($0)xx")], factory: factory)
    }
    duration = Metrics.Timer(label: "ringfence_http_request_duration_seconds", factory: factory)
  }

  func perform(_ count: Int) {
    var bytes = 0
    for _ in 0..<count {
      let start = ContinuousClock.now
      bytes += RequestID(given: nil).text.utf8.count
      inProgress.increment()
      answers[1].increment()
      duration.record(duration: ContinuousClock.now - start)
      inProgress.decrement()
    }
    // The optimizer must not remove the ids.
    precondition(bytes > 0)
  }
}
