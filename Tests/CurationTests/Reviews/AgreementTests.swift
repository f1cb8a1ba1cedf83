// SPDX-License-Identifier: Apache-2.0

import Curation
import TestData
import Testing

extension Agreement {
  fileprivate static func of(_ units: [[Rating]], values: Int) -> Agreement? {
    of(counted: units.map { Units(ratings: $0, count: 1) }, values: values)
  }

  fileprivate static func kappa(_ pairs: [(Int, Int)], values: Int) -> Agreement? {
    of(pairs.map { [Rating(rater: "a", value: $0.0), Rating(rater: "b", value: $0.1)] }, values: values)
  }

  /// The agreement of units that each have their own raters.
  fileprivate static func alpha(_ units: [[Int]], values: Int) -> Agreement? {
    let rated = units.enumerated().map { unit, ratings in
      ratings.enumerated().map { Rating(rater: "\(unit) \($0)", value: $1) }
    }
    return of(rated, values: values)
  }
}

@Suite struct AgreementTests {
  /// Ratings of raters, one text each: a digit for each unit, a point for none.
  private func units(_ raters: [String]) -> [[Agreement.Rating]] {
    let rows = raters.map(Array.init)
    return rows[0].indices.map { unit in
      rows.enumerated().compactMap { rater, row in
        row[unit].wholeNumberValue.map { Agreement.Rating(rater: "\(rater)", value: $0) }
      }
    }
  }

  private func isClose(_ value: Double?, _ wanted: Double) -> Bool { value.map { abs($0 - wanted) < 1e-12 } ?? false }

  /// The published examples of Krippendorff (2011), sections A, B and C, and random ratings; all values come from the
  /// package krippendorff 0.9.0 from PyPI.
  @Test(arguments: [
    (["0100000010", "1110010000"], 0.09523809523809534),
    (["001132224330", "101112224333"], 0.6919642857142858),
    (["123321412...", "1233224125.3", ".3332342251.", "12332441251."], 0.743421052631579),
    (
      [".0..101121.100202..0..21.11111", "0.00.01.22.20222202.0.0.02.12.", "0.0..00.211002.22020.1..01011."],
      0.47055730809674036
    ),
    (
      [
        ".0222.2...2...00..121..1.1...01.10.1211.", ".0.02.20.0..1.0.20....0.201.101.1.020.1.",
        "0..0...00.1..1012.12102.001.0.....0..1..", ".0202.20.11...112...12.2..020....0..211.",
        "002..11..0211...2....1.200..011..0..0..1",
      ], 0.46838709677419366
    ),
    (["1200200021011101222010121", "2220000021010001122010200"], 0.4568965517241379),
  ]) func `alpha is that of an independent implementation`(raters: [String], alpha: Double) {
    let units = units(raters)
    let found = Agreement.alpha(units.map { $0.map(\.value) }, values: 6)
    #expect(isClose(found?.value, alpha), "\(String(describing: found))")
    #expect(found?.units == units.count { $0.count > 1 })
  }

  /// All values come from scikit-learn 1.9.1; the last is the example of Fleiss, "Statistical Methods for Rates and
  /// Proportions".
  /// Counts of equal units give the figures of the units in any order.
  @Test(arguments: [2, 4]) func `counted units give the same figures`(_ raters: Int) throws {
    var generator = SeededGenerator(seed: 71)
    let units = (0..<300).map { _ in
      let pair = (0..<raters).shuffled(using: &generator).prefix(2)
      let value = Int.random(in: 0..<3, using: &generator)
      return pair.map { rater in
        let isEqual = Int.random(in: 0..<4, using: &generator) > 0
        return Agreement.Rating(
          rater: "\(rater)", value: isEqual ? value : Int.random(in: 0..<3, using: &generator))
      }
    }
    var counted: [Agreement.Units] = []
    for unit in units.shuffled(using: &generator) {
      if let place = counted.firstIndex(where: { $0.ratings == unit }) {
        counted[place].count += 1
      } else {
        counted.append(Agreement.Units(ratings: unit, count: 1))
      }
    }
    #expect(counted.count < 120)
    let single = try #require(Agreement.of(units, values: 3))
    let found = try #require(Agreement.of(counted: counted, values: 3))
    #expect(found.coefficient == (raters == 2 ? .kappa : .alpha) && found.coefficient == single.coefficient)
    #expect(found.units == 300 && abs(found.value - single.value) < 1e-12)
    let (interval, expected) = (try #require(found.interval), try #require(single.interval))
    #expect(abs(interval.lowerBound - expected.lowerBound) < 1e-9)
    #expect(abs(interval.upperBound - expected.upperBound) < 1e-9)
  }

  @Test func `kappa is that of an independent implementation`() {
    func kappa(_ first: String, _ second: String) -> Double? {
      let pairs = zip(first, second).map { ($0.wholeNumberValue ?? 0, $1.wholeNumberValue ?? 0) }
      return Agreement.kappa(pairs, values: 5)?.value
    }
    #expect(isClose(kappa("0100000010", "1110010000"), 0.09090909090909094))
    #expect(isClose(kappa("001132224330", "101112224333"), 0.6842105263157895))
    #expect(isClose(kappa("1200200021011101222010121", "2220000021010001122010200"), 0.4565217391304348))
    let counts = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
    let pairs = counts.enumerated().flatMap { first, row in
      row.enumerated().flatMap { second, count in Array(repeating: (first, second), count: count) }
    }
    #expect(isClose(Agreement.kappa(pairs, values: 3)?.value, 0.6764705882352942))
  }

  @Test func `two raters have kappa and more have alpha`() {
    let two = units(["0100000010", "1110010000"])
    #expect(Agreement.of(two, values: 2)?.coefficient == .kappa)
    // The order of a unit's ratings does not matter.
    #expect(Agreement.of(two.map { $0.reversed() }, values: 2) == Agreement.of(two, values: 2))
    let three = units(["01000.", "1110.1", "0.1001"])
    #expect(Agreement.of(three, values: 2)?.coefficient == .alpha)
  }

  @Test func `is undefined without variation`() {
    #expect(Agreement.of([], values: 3) == nil)
    #expect(Agreement.of(units(["0.0", ".0."]), values: 3) == nil)
    #expect(Agreement.of(units(["0000", "0000"]), values: 3) == nil)
    #expect(Agreement.alpha([[0, 0], [0, 0], [0, 0]], values: 3) == nil)
  }

  @Test func `perfect agreement has a lower bound below one`() throws {
    let perfect = try #require(Agreement.of(units(["0101010101", "0101010101"]), values: 2))
    let interval = try #require(perfect.interval)
    #expect(perfect.value == 1 && interval.upperBound == 1)
    #expect(interval.lowerBound > 0 && interval.lowerBound < 0.8)
  }

  /// The expansion at three degrees; tables of Student's t have 4.18, 2.63 and 2.36 for the same probability.
  @Test(arguments: [(3.0, 3.9103), (10, 2.6279), (30, 2.3594)]) func `few units make the interval wider`(
    degrees: Double, quantile: Double
  ) {
    #expect(abs(Agreement.studentQuantile(degrees: degrees) - quantile) < 0.0001)
  }

  struct Simulation: CustomTestStringConvertible {
    let error: Double
    let units: Int
    let prevalences: [Double]
    let moderators: Int

    var testDescription: String { "\(moderators) moderators, error \(error), \(units) decisions, \(prevalences)" }

    /// The chance-corrected agreement of two moderators with this error, who err to each other value equally often.
    var truth: Double {
      let others = Double(prevalences.count - 1)
      let observed = (1 - error) * (1 - error) + error * error / others
      let expected = prevalences.map { $0 * (1 - error) + (1 - $0) * error / others }.reduce(0) { $0 + $1 * $1 }
      return (observed - expected) / (1 - expected)
    }

    func rate(_ generator: inout SeededGenerator) -> [[Agreement.Rating]] {
      (0..<units).map { _ in
        var place = Double.random(in: 0..<1, using: &generator)
        let right = prevalences.firstIndex { share in
          place -= share
          return place < 0
        }
        let raters = (0..<moderators).shuffled(using: &generator).prefix(2)
        return raters.map { rater in
          guard Double.random(in: 0..<1, using: &generator) < error else {
            return Agreement.Rating(rater: "\(rater)", value: right ?? 0)
          }
          let wrong = Int.random(in: 1..<prevalences.count, using: &generator)
          return Agreement.Rating(rater: "\(rater)", value: ((right ?? 0) + wrong) % prevalences.count)
        }
      }
    }
  }

  /// Two moderators have kappa; of five, two rate each decision, and they have alpha.
  static let simulations = [2, 5].flatMap { moderators in
    [0.02, 0.1, 0.3].flatMap { error in
      [(50, [0.6, 0.15, 0.25]), (200, [0.6, 0.15, 0.25]), (50, [0.85, 0.05, 0.1]), (200, [0.85, 0.05, 0.1])].map {
        Simulation(error: error, units: $0.0, prevalences: $0.1, moderators: moderators)
      }
    }
  }

  @Test(arguments: simulations) func `the interval covers the truth in most runs`(_ simulation: Simulation) {
    var generator = SeededGenerator(seed: 73)
    // Three times 200 runs: with 200 alone, chance decides about the last per cent.
    let runs = 600
    let covered = (0..<runs).count { _ in
      let agreement = Agreement.of(simulation.rate(&generator), values: 3)
      return agreement?.interval?.contains(simulation.truth) ?? false
    }
    print("\(simulation.testDescription): the truth \(simulation.truth) was covered in \(covered) of \(runs) runs")
    #expect(covered * 100 >= runs * 95)
  }
}
