// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

/// SplitMix64: the same numbers at each run.
private struct Bits {
  var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

@Suite struct RemediationFiguresTests {
  /// 2026-11-29T12:00:00Z, a Sunday: day 20,786. Counts until day 20,782 are complete, and weeks until Sunday 20,779.
  private let now = Date(timeIntervalSince1970: 20_786.5 * 86_400)
  private let last: Int32 = 20_782

  /// Both halves are equal: no noise.
  private let silence: (String) -> [UInt8] = { _ in [UInt8](repeating: 7, count: 16) }

  private func sum(
    _ day: Int32, _ kind: RemediationClass? = nil, _ value: String = "", sender: RemediationSender = .apps,
    installations: Int64 = 5, blocked: Int64 = 100
  ) -> RemediationFigures.Sum {
    .init(
      day: day, sender: sender, kind: kind, value: value, installations: installations,
      tally: RemediationTally(matched: blocked, blocked: blocked, overridden: blocked / 10))
  }

  @Test func `noise is two-sided geometric and within its error`() {
    let count = 200_000
    for (epsilon, sensitivity) in [(0.6, 30), (0.2, 30), (0.6, 2), (2, 2)] {
      let noise = GeometricNoise(epsilon: epsilon, sensitivity: sensitivity)
      var bits = Bits()
      let values = (0..<count).map { _ in noise.value((bits.next(), bits.next())) }
      let ratio = exp(-epsilon / Double(sensitivity))
      // A rounded Laplace variable has fewer zeros than (1 − α) / (1 + α).
      let zeros = Double(values.count { $0 == 0 }) / Double(count)
      let expected = (1 - ratio) / (1 + ratio)
      #expect(abs(zeros - expected) < 5 * (expected / Double(count)).squareRoot())
      let deviation = noise.variance.squareRoot()
      #expect(abs(Double(values.reduce(0, +)) / Double(count)) < 5 * deviation / Double(count).squareRoot())
      #expect(abs(Double(values.reduce(0) { $0 + $1 * $1 }) / Double(count) / noise.variance - 1) < 0.03)
      for summed in [1, 4, 30] {
        let error = GeometricNoise.error(variance: noise.variance * Double(summed))
        let sums = stride(from: 0, to: count - count % summed, by: summed).map { values[$0..<$0 + summed].reduce(0, +) }
        #expect(Double(sums.count { abs($0) <= error }) / Double(sums.count) > 0.945)
      }
    }
  }

  @Test func `the budget of an installation's day is 2`() {
    let classes = Double(RemediationClass.allCases.count)
    #expect(abs(RemediationFigures.dayEpsilon + RemediationFigures.classEpsilon * classes - 2) < 1e-9)
  }

  @Test func `only complete days of enough installations are shown`() {
    let sums = [
      sum(last), sum(last, sender: .telephoneSystems, installations: 0, blocked: 7), sum(last + 1), sum(last - 29),
      sum(last - 30), sum(last - 1, installations: 4), sum(last - 2, sender: .phoneBlock, installations: 4),
    ]
    let figures = RemediationFigures(sums, at: now, bits: silence)
    #expect(figures.days.count == 30 && figures.days.map(\.day).min() == last - 29)
    #expect(figures.days.filter { $0.stopped != 0 }.map { "\($0.day) \($0.stopped)" } == ["20753 100", "20782 107"])
    // Of 10 calls with ε = 0.6.
    #expect(figures.days.first?.error == 50)
    #expect(figures.days.filter { $0.error > 0 }.count == 2 && figures.parts.isEmpty)
  }

  @Test func `classes are summed over four complete weeks`() throws {
    // The weeks from Monday 20,752 to Sunday 20,779.
    let sums =
      [20_751, 20_752, 20_758, 20_779, 20_780].map { sum($0, .source, "A") } + [
        sum(20_760, .source, "A", installations: 4), sum(20_760, .score, "high"), sum(20_760, .source, "B"),
      ]
    let figures = RemediationFigures(sums, at: now, bits: silence)
    #expect(
      figures.parts.map { "\($0.kind.rawValue) \($0.value) \($0.tally.matched) \($0.weeks)" }
        == ["source A 300 2", "source B 100 1", "score high 100 1"])
    let part = try #require(figures.parts.first)
    #expect(part.usefulness(numbers: 1_000) == 300 && part.usefulness(numbers: 0) == nil)
    // The error of two weeks is 636; the rate of fewer blocks says nothing.
    #expect(part.error == 636 && part.overrideRate == nil)
  }

  @Test func `the noise of a sum is the same at each call and differs between sums`() {
    var drawn: [String] = []
    var bits = Bits()
    var known: [String: [UInt8]] = [:]
    let keyed: (String) -> [UInt8] = { text in
      drawn.append(text)
      if let old = known[text] { return old }
      let fresh = (0..<16).map { _ in UInt8(truncatingIfNeeded: bits.next()) }
      known[text] = fresh
      return fresh
    }
    let sums = [sum(last), sum(last - 1), sum(20_760, .pack, "a"), sum(20_760, .pack, "b")]
    let figures = RemediationFigures(sums, at: now, bits: keyed)
    #expect(Set(drawn).count == drawn.count && drawn.count == 2 + 2 * 4)
    // A day later the same days have the same figures.
    let later = RemediationFigures(sums, at: now + 86_400, bits: keyed)
    #expect(later.days.dropLast() == figures.days.dropFirst() && later.parts == figures.parts)
    #expect(figures.days.last?.stopped != 100)
  }

  @Test func `a source is useless only at the upper bound of its error`() {
    let mondays: [Int32] = [20_752, 20_759, 20_766, 20_773]
    func figures(_ weeks: some Sequence<Int32>) -> RemediationFigures {
      let sums = weeks.flatMap { day in
        [
          sum(day, .source, "A", blocked: 10), sum(day, .origin, "source", blocked: 500),
          sum(day, .pack, "block", blocked: 50_000),
        ]
      }
      return RemediationFigures(sums, at: now, bits: silence)
    }
    let all = figures(mondays)
    // (200,000 − 900) calls for 10,000 numbers, and a twentieth of it.
    #expect(all.parts.map(\.error) == [900, 900, 900])
    #expect(all.usefulnessBound(ofPacks: ["block": 10_000]) == 995.5)
    #expect(all.usefulnessBound(ofPacks: [:]) == nil)
    // 40 calls, an error of 900, and 28 days with 4 installations of 10 calls at most.
    #expect(!all.isUseless("A", numbers: 2_060, bound: 1_000) && all.isUseless("A", numbers: 2_061, bound: 1_000))
    #expect(!all.isUseless("B", numbers: 1_120, bound: 1_000) && all.isUseless("B", numbers: 1_121, bound: 1_000))
    #expect(!figures(mondays.dropLast()).isUseless("B", numbers: 1_000_000, bound: 1_000))
  }
}
