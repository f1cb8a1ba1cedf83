// SPDX-License-Identifier: Apache-2.0

import Curation
import Storage
import TestSupport
import Testing

@testable import Publishing

@Suite struct GateCheckerTests {
  private let keeper = GateChecker(limits: GateLimits(tolerance: 100))

  private func closed(_ figures: PackStatistics..., by keeper: GateChecker? = nil) -> [String] {
    (keeper ?? self.keeper).check(figures).closed.map { "\($0.gate) \($0.pack)" }
  }

  private func pack(_ entries: Int?, after former: Int? = nil, churn: Int = 0) -> PackStatistics {
    PackStatistics(
      name: "a", cap: 10_000, entries: entries, bytes: (entries ?? 0) * 2, formerEntries: former,
      formerBytes: (former ?? 0) * 2, added: churn)
  }

  @Test func `each gate fails only for its own condition`() {
    #expect(closed(pack(1)) == [])
    #expect(closed() == [])
    #expect(closed(pack(0)) == [])
    #expect(closed(pack(0, after: 1)) == ["non-empty "])
    #expect(keeper.check([pack(0)], mayBeEmpty: false).closed.map(\.gate) == ["non-empty"])
    #expect(closed(pack(10_001)) == ["cap a"])
    var damaged = pack(5)
    damaged.damage = "a checksum does not match"
    #expect(closed(damaged) == ["readable a"])
    var disordered = pack(5)
    disordered.disorder = PackStatistics.Disorder(number: 5, previous: 6)
    #expect(closed(disordered) == ["order a"])
    var hit = pack(5)
    hit.protected = [112]
    #expect(closed(hit) == ["protected a"])
  }

  @Test(arguments: [
    (500, 1_000, false), (499, 1_000, true), (2_000, 1_000, false), (2_001, 1_000, true), (901, 1_000, false),
    // Within the tolerance every size passes.
    (0, 100, false), (100, 1, false), (0, 101, true), (102, 1, true),
  ]) func `the size gate fails outside its limits`(entries: Int, former: Int, isClosed: Bool) {
    #expect(closed(pack(entries, after: former), pack(1)).contains("size a") == isClosed)
  }

  @Test(arguments: [(500, false), (501, true)]) func `the churn gate fails above its limit unless exempt`(
    _ churn: Int, isClosed: Bool
  ) {
    #expect(closed(pack(1_000, after: 1_000, churn: churn)) == (isClosed ? ["churn a"] : []))
    #expect(closed(pack(10, after: 10, churn: 100)) == [])
    let revocation = GateChecker(limits: GateLimits(tolerance: 100), exempt: [.churn])
    #expect(closed(pack(1_000, after: 1_000, churn: churn), by: revocation) == [])
  }

  @Test func `a pack that disappears fails a gate unless it was small`() {
    #expect(closed(pack(nil, after: 101), pack(5)) == ["non-empty a"])
    #expect(closed(pack(nil, after: 100), pack(5)) == [])
    #expect(closed(pack(0, after: 101), pack(5)).contains("non-empty a"))
  }

  @Test func `numbers that leave for a reason and expected additions do not count`() {
    var left = PackStatistics(
      name: "a", cap: 10_000, entries: 500, bytes: 1_000, formerEntries: 5_000, formerBytes: 10_000, removed: 4_500,
      explained: 4_500)
    #expect(closed(left) == [])
    // The loss of others is the loss of a smaller pack.
    (left.entries, left.removed) = (200, 4_800)
    #expect(closed(left) == ["size a", "churn a"])
    (left.entries, left.removed, left.explained) = (0, 5_000, 5_000)
    #expect(closed(left) == [])
    left.explained = 4_899
    #expect(closed(left) == ["non-empty a", "size a", "churn a", "non-empty "])
    (left.entries, left.bytes, left.explained) = (nil, 0, 4_900)
    #expect(closed(left, pack(5)) == [])

    var grown = PackStatistics(
      name: "a", cap: 10_000, entries: 6_000, bytes: 12_000, formerEntries: 1_000, formerBytes: 2_000, added: 5_000,
      expected: 4_800)
    #expect(closed(grown) == [])
    grown.bytes = 25_000
    #expect(closed(grown) == ["size a"])
    (grown.bytes, grown.expected) = (12_000, 3_000)
    #expect(closed(grown) == ["size a", "churn a"])
  }

  @Test func `numbers that change places in a full pack with those do not count`() {
    var full = PackStatistics(
      name: "a", cap: 10_000, entries: 10_000, bytes: 20_000, formerEntries: 10_000, formerBytes: 20_000, added: 8_000,
      removed: 8_000, explained: 8_000)
    #expect(closed(full) == [])
    (full.explained, full.expected) = (0, 8_000)
    #expect(closed(full) == [])
    full.cap = 10_001
    #expect(closed(full) == ["size a", "churn a"])
  }

  @Test func `findings include the compared values`() {
    func finding(_ gate: Gate, _ figures: PackStatistics) -> GateFinding? {
      keeper.check([figures]).first { $0.gate == gate.rawValue && $0.pack == "a" }?.finding
    }
    #expect(finding(.cap, pack(10_001)) == .tooManyEntries(entries: 10_001, maximum: 10_000))
    #expect(finding(.cap, pack(5)) == .entriesWithinMaximum(entries: 5, maximum: 10_000))
    #expect(finding(.nonEmpty, pack(nil, after: 101)) == .packMissing(formerEntries: 101))
    #expect(finding(.nonEmpty, pack(0, after: 101)) == .packEmpty(formerEntries: 101))
    #expect(
      finding(.churn, pack(1_000, after: 1_000, churn: 501))
        == .tooMuchChurn(.init(added: 501, removed: 0, formerEntries: 1_000), maximumPercent: 50))
    let change = GateFinding.SizeChange(entries: 499, sizeBytes: 998, formerEntries: 1_000, formerBytes: 2_000)
    #expect(
      finding(.size, pack(499, after: 1_000)) == .sizeOutsideLimits(change, minimumPercent: 50, maximumPercent: 200))
    #expect(finding(.size, pack(5)) == .firstOfItsName)
    #expect(keeper.check([]).map(\.finding) == [.emptyForReason(explained: 0)])
  }

  @Test func `only some gates can be overruled`() {
    #expect(Gate.allCases.filter(\.canBeOverruled) == [.nonEmpty, .size, .churn])
  }

  @Test func `gates around their limits`() throws {
    let checker = GateChecker(limits: GateLimits(minSize: 0.5, maxSize: 2, maxChurn: 0.5, tolerance: 10))
    var lines: [String] = []
    for former in [nil, 0, 10, 11, 100, 200] as [Int?] {
      for entries in [nil, 0, 1, 49, 50, 51, 199, 200, 201] as [Int?] {
        for (explained, expected) in [(0, 0), (10, 0), (0, 10), (40, 60)] {
          for (ruled, formerRuled, share) in [(0, 0, 8), (0, 0, 3), (0, 0, 17), (20, 0, 3), (0, 20, 17)] {
            let (now, then) = (entries ?? 0, former ?? 0)
            var pack = PackStatistics(
              name: "a", cap: 200, entries: entries, bytes: share * now, formerEntries: former, formerBytes: 8 * then,
              added: max(0, now - then) + 5, removed: max(0, then - now) + 5, explained: explained, expected: expected)
            (pack.ruled, pack.formerRuled) = (ruled, formerRuled)
            let gates = checker.check([pack]).map { "\($0.gate.prefix(2))\($0.passed ? "+" : "-")" }.joined(
              separator: " ")
            lines.append(
              "\(then) \(now) \(explained) \(expected) \(ruled) \(formerRuled) \(share): \(gates), "
                + "\(pack.refilled) \(pack.displaced)")
          }
        }
      }
    }
    try Golden.expect(lines, in: "gates.txt")
  }
}
