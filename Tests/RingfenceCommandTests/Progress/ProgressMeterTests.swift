// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import RingfenceCommand

@Suite struct ProgressMeterTests {
  private final class Screen: ProgressOutput {
    let isTerminal: Bool
    let width = 80
    let text = Mutex("")

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    func write(_ text: String) { self.text.withLock { $0 += text } }

    var shown: String { text.withLock { $0 } }
  }

  private final class Clock: Sendable {
    let now = Mutex(Duration.zero)

    func set(_ seconds: Double) { now.withLock { $0 = .seconds(seconds) } }
  }

  private func meter(
    _ screen: Screen, _ clock: Clock, total: UInt64? = 10_000_000, unit: ProgressMeter.Unit = .bytes
  ) -> ProgressMeter {
    ProgressMeter(
      title: "Importing", total: total, unit: unit, output: screen, elapsed: { clock.now.withLock { $0 } })
  }

  @Test(arguments: [true, false]) func `a task of less than a second shows no progress`(isTerminal: Bool) {
    let (screen, clock) = (Screen(isTerminal: isTerminal), Clock())
    let meter = meter(screen, clock)
    for step in 0..<10 {
      clock.set(Double(step) / 10.1)
      meter.update(done: UInt64(step) * 1_000_000)
    }
    meter.finish()
    #expect(screen.shown == "")
  }

  @Test func `the line of a terminal is redrawn`() {
    let (screen, clock) = (Screen(isTerminal: true), Clock())
    let meter = meter(screen, clock)
    clock.set(2)
    meter.update(done: 2_500_000, detail: "1,000 rows")
    clock.set(2.05)
    meter.update(done: 2_600_000)
    clock.set(8)
    meter.update(done: 10_000_000, detail: "4,000 rows")
    meter.finish()
    meter.update(done: 0)
    meter.finish()
    let lines = screen.shown.split(separator: "\r").map { $0.replacing("\u{1B}[K", with: "") }
    #expect(
      lines == [
        "Importing [====              ] 25% 2.5 MB, 1.3 MB/s, 1,000 rows, about 6 s left",
        "Importing [==============================] 100% 10.0 MB, 1.3 MB/s, 4,000 rows",
        "Importing [======================] 100% 10.0 MB, 1.3 MB/s, 4,000 rows, in 8.0 s\n",
      ])
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `progress without a terminal is one line every few seconds`() {
    let (screen, clock) = (Screen(isTerminal: false), Clock())
    let meter = meter(screen, clock, total: nil, unit: .items("rows"))
    for tenth in 0..<120 {
      clock.set(Double(tenth) / 10)
      meter.update(done: UInt64(tenth) * 100_000)
    }
    meter.finish()
    #expect(
      screen.shown == """
        Importing 5,000,000 rows, 1,000,000 rows/s
        Importing 10,000,000 rows, 1,000,000 rows/s
        Importing 11,900,000 rows, 1,000,000 rows/s, in 11.9 s

        """)
  }

  @Test func `narrow terminals and odd totals give a valid line`() {
    let view = ProgressView(
      title: "Importing", done: 5, total: 3, unit: .bytes, detail: "", seconds: 100, isFinished: false)
    #expect(view.line(width: 12) == "Importing 1")
    #expect(view.line(width: 0).count == 1)
    #expect(view.plain == "Importing 100% 5 B, 0 B/s")
    let empty = ProgressView(
      title: "T", done: .max, total: 0, unit: .items("rows"), detail: "", seconds: 0, isFinished: false)
    #expect(empty.plain == "T 1,000,000,000,000,000,000 rows")
  }

  /// The beginning of an import is slower than the rest.
  @Test(
    arguments: [
      (20_000, 0.36, nil), (90_000, 9, nil), (100_000, 2, "20 s"), (500_000, 9, "9 s"), (999_999, 18, "1 s"),
      (1_000_000, 18, nil),
    ] as [(UInt64, Double, String?)])
  func `the time left is estimated after a tenth of the work`(done: UInt64, seconds: Double, left: String?) {
    let view = ProgressView(
      title: "T", done: done, total: 1_000_000, unit: .items("rows"), detail: "", seconds: seconds, isFinished: false)
    #expect(view.plain.contains("left") == (left != nil))
    if let left { #expect(view.plain.hasSuffix(", about \(left) left")) }
  }

  @Test func `an estimate is rounded`() {
    let texts = [
      0.2: "1 s", 9.4: "9 s", 12: "10 s", 18: "20 s", 57: "55 s", 58: "1 min", 200: "3 min", 3_590: "1 h",
      7_900: "2 h 10 min",
    ]
    for (seconds, text) in texts { #expect(TextFormat.estimate(seconds) == text) }
  }

  @Test func `a count and its words agree`() {
    #expect(TextFormat.count(1, "number") == "1 number" && TextFormat.count(0, "number") == "0 numbers")
    #expect([1, 2].map { TextFormat.count($0, "entry", "entries") } == ["1 entry", "2 entries"])
    #expect(TextFormat.grouped(1, "row") == "1 row" && TextFormat.grouped(1_234, "row") == "1,234 rows")
  }

  @Test func `numbers, durations and sizes are formatted`() {
    #expect(
      TextFormat.grouped(0) == "0" && TextFormat.grouped(-1_234) == "-1,234"
        && TextFormat.grouped(1_234_567) == "1,234,567")
    #expect(TextFormat.duration(59.96) == "1 min 0 s" && TextFormat.duration(7_800) == "2 h 10 min")
    #expect(TextFormat.duration(.infinity) == "–" && TextFormat.duration(-1) == "–")
    #expect(TextFormat.bytes(999) == "999 B" && TextFormat.bytes(11_579_894) == "11.6 MB")
  }
}
