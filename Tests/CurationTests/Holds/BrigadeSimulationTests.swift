// SPDX-License-Identifier: Apache-2.0

import Curation
import TestSupport
import Testing

/// Brigades of 200 new accounts in 200 networks, against 20 to 150 numbers, with genuine waves and alone.
///
/// All numbers are taken to meet the thresholds, which claimed times can reach: only the rules against brigades are left
/// between a number and its publication. The brigade has also reported every number that is listed, in weeks before, to
/// make its habits usual.
@Suite struct BrigadeSimulationTests {
  struct Case {
    var targets: Int
    var arrivalDays: Int32
    var apps: Int
    /// Genuine waves, and the share of their reporters who are established.
    var genuine: Int
    var established: Double
  }

  private static var cases: [Case] {
    var cases: [Case] = []
    for (targets, days) in [(20, 1), (100, 2), (150, 7)] as [(Int, Int32)] {
      for (apps, genuine, established) in [(1, 0, 0.0), (1, 60, 0.6), (5, 60, 0.4), (1, 150, 0.6), (1, 60, 0.05)] {
        cases.append(
          Case(targets: targets, arrivalDays: days, apps: apps, genuine: genuine, established: established))
      }
    }
    return cases
  }

  private func reporter(_ kind: UInt8, _ index: Int, _ app: Int = 0) -> Reporter {
    Reporter([kind, UInt8(app), UInt8(index >> 8), UInt8(index & 255)] + [UInt8](repeating: kind, count: 12))
  }

  /// 15 to 40 people, six of ten in the first twelve hours and the others over the days that follow.
  private func wave(
    endingAt end: Double, established: Double, _ generator: inout SeededGenerator
  ) -> [ReporterVote] {
    let start = end + Double.random(in: 2..<7, using: &generator)
    return (0..<400).shuffled(using: &generator).prefix(Int.random(in: 15...40, using: &generator)).map { person in
      let isLate = Int.random(in: 0..<10, using: &generator) < 4
      let delay = Double.random(in: isLate ? 0.5..<3.5 : 0..<0.5, using: &generator)
      let isNew = Double.random(in: 0..<1, using: &generator) >= established
      return ReporterVote(
        reporter: reporter(1, person), isToxic: true, isNew: isNew, age: Int32(max(start - delay, end)),
        network: UInt64(person), text: UInt64(1_000_000 + person), isLongEstablished: !isNew)
    }
  }

  private func burst(_ test: Case, against number: Int, _ generator: inout SeededGenerator) -> [ReporterVote] {
    (0..<200).map { account in
      ReporterVote(
        reporter: reporter(4, account, account % test.apps), isToxic: true, isNew: true,
        age: Int32.random(in: 0..<test.arrivalDays, using: &generator), network: UInt64(50_000 + account),
        text: UInt64(2_000_000 + account))
    }
  }

  /// Numbers that were listed ten days ago, with what the brigade added to them since and before.
  private func background(_ test: Case, _ generator: inout SeededGenerator) -> BrigadeBaseline {
    var background = BrigadeBaseline()
    for number in 0..<test.genuine {
      var added = burst(test, against: number, &generator)
      for index in added.indices { added[index].age += index.isMultiple(of: 2) ? 8 : 14 }
      background.add(wave(endingAt: 11, established: test.established, &generator) + added, confirmedAge: 10)
    }
    return background
  }

  @Test func `a brigade does not change the background that detection uses`() {
    var generator = SeededGenerator(seed: 1616)
    var lines = ["numbers | arrival days | apps | genuine waves | established | brigade published | genuine published"]
    for test in Self.cases {
      let background = background(test, &generator)
      let brigade = (0..<test.targets).count { number in
        BrigadeDetection.evaluate(burst(test, against: number, &generator), in: .init(background: background)).finding
          == nil
      }
      let genuine = (0..<test.genuine).count { _ in
        let votes = wave(endingAt: 0, established: test.established, &generator)
        return BrigadeDetection.evaluate(votes, in: .init(background: background)).finding == nil
      }
      let share = test.genuine == 0 ? "none" : "\(genuine * 100 / test.genuine) %"
      lines.append(
        "\(test.targets) | \(test.arrivalDays) | \(test.apps) | \(test.genuine) | \(Int(test.established * 100)) % | "
          + "\(brigade) | \(share)")
      #expect(brigade == 0, "\(test)")
      // Where hardly anybody is established, genuine numbers wait for a moderator too.
      if test.established >= 0.4 { #expect(genuine * 10 >= test.genuine * 9, "\(test)") }
    }
    print(lines.joined(separator: "\n"))
  }
}
