// What measuring adds to a request: `Scripts/measure-metrics` compiles this with Sources/Telemetry.
import Glibc

let metrics = MetricsRegistry()
let inProgress = metrics.level("in_progress", "")
let answers = (1...5).map { metrics.counter("requests_total", "", Label("status", "\($0)xx")) }
let duration = metrics.histogram("duration_seconds", "", Histogram.seconds)

/// Time on processors, so that what else runs on the machine does not count.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// All that is done for a request on the short way: its name, two readings of the clock, a counter, a histogram.
func work(_ count: Int) {
  var bytes = 0
  for _ in 0..<count {
    let began = ContinuousClock.now
    bytes += RequestName(given: nil).text.utf8.count
    inProgress.rise()
    answers[1].add()
    duration.note(ContinuousClock.now - began)
    inProgress.fall()
  }
  precondition(bytes > 0)
}

func measure(_ body: () async -> Void) async -> Double {
  let began = processorTime()
  await body()
  return processorTime() - began
}

work(100_000)
var runs: [Double] = []
for _ in 0..<5 { runs.append(await measure { work(1_000_000) } / 1_000_000) }
print("a request: \(Int(runs.sorted()[2])) ns (median of five runs of a million)")
let together = await measure {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<4 { group.addTask { work(1_000_000) } }
  }
}
print("on all cores at once: \(Int(together / 4_000_000)) ns")
