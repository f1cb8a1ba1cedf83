// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import PhoneNumbers
import Publishing
import TestSupport
import Testing

/// `rank: useful`: packs with a limit prefer the classes whose numbers call.
@Suite struct ClassWeightsTests {
  private static let now = Date(timeIntervalSince1970: 1_795_000_000)
  private static let limit = 10_000
  /// Fictional mobiles and fixed lines of France. Equally many of each are listed, with the same heats.
  private static let mobiles = (0..<10_000).map { 33_639_980_000 + Int64($0) }
  private static let fixed = (0..<10_000).map { 33_199_000_000 + Int64($0) }

  /// The stored sums of four weeks.
  private static func figures(_ calls: [String: Int64]) -> RemediationFigures {
    let last = RemediationFigures.lastDay(at: now)
    let sums = (0..<35).flatMap { age in
      calls.map { type, count in
        RemediationFigures.Sum(
          day: last - Int32(age), sender: .apps, kind: .numberType, value: type, installations: 500,
          tally: .init(matched: count / 28, blocked: count / 28))
      }
    }
    return RemediationFigures(sums, at: now) { name in
      var seeded = SeededGenerator(
        seed: name.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })
      return (0..<16).map { _ in UInt8.random(in: 0...255, using: &seeded) }
    }
  }

  private static func weights(mobile: Int64, fixed: Int64, numbers: (mobile: Double, fixed: Double) = (5_000, 5_000))
    -> ClassWeights
  {
    ClassWeights(
      figures(["mobile": mobile, "fixed_line": fixed]),
      means: [.numberType: ["mobile": numbers.mobile, "fixed_line": numbers.fixed]])
  }

  /// The mobiles in a pack of 10,000 of 20,000 candidates.
  private func mobiles(_ weights: ClassWeights?) async throws -> Int {
    var recipe = Recipe(name: "block", kind: .blocking, limit: Self.limit)
    if let weights {
      recipe.ranking = .useful
      recipe.ranking.classes = weights
    }
    var seeded = SeededGenerator(seed: 60)
    let listed = (Self.mobiles + Self.fixed).map { number in
      ListedNumber(number: number, category: .fraud, heat: Double.random(in: 3...30, using: &seeded), evidence: 9)
    }.sorted { $0.number < $1.number }
    let pack = try #require(try await Assembly.run([recipe], listed: listed, batch: 1_000).entries["block"])
    #expect(pack.count == Self.limit)
    return pack.count { $0.number >= 33_600_000_000 }
  }

  @Test func `a class whose calls may be as many as others' is not moved`() {
    let weights = Self.weights(mobile: 28_000, fixed: 28_000).all.map(\.weight)
    #expect(weights == [1, 1])
  }

  @Test func `a list of 10,000 stops more calls where a class never calls, and as many where all call`() async throws {
    // Each mobile in the list is called from as often; fixed lines as often, rarely, or never.
    let byHeat = try await mobiles(nil)
    #expect((4_700...5_300).contains(byHeat))
    for (mobile, fixed, least) in [(28_000, 0, 9_500), (28_000, 2_800, 8_000), (28_000, 28_000, byHeat - 300)]
      as [(Int64, Int64, Int)]
    {
      let useful = try await mobiles(Self.weights(mobile: mobile, fixed: fixed))
      func stopped(_ mobiles: Int) -> Double {
        Double(mobiles) * Double(mobile) + Double(Self.limit - mobiles) * Double(fixed)
      }
      #expect(useful >= least && stopped(useful) >= stopped(byHeat) * 0.99, "\(mobile) \(fixed): \(useful), \(byHeat)")
    }
  }

  @Test func `too little is known of few calls, few numbers and few weeks`() {
    let known = Self.weights(mobile: 28_000, fixed: 0).all.map(\.value)
    #expect(known == ["fixed_line", "mobile"])
    // Within the error, a class is as useful as the others.
    #expect(Self.weights(mobile: 280, fixed: 300).all.allSatisfy { $0.weight == 1 })
    #expect(Self.weights(mobile: 28_000, fixed: 0, numbers: (9_901, 99)).all.map(\.value) == ["mobile"])
    #expect(ClassWeights(RemediationFigures([], at: Self.now) { _ in [] }, means: [:]).all.isEmpty)
    // 200 phones that lie together count 56,000 calls in four weeks: a class moves by its limit and no further.
    for weight in Self.weights(mobile: 28_000, fixed: 56_000_000).all.map(\.weight) {
      #expect((1 / ClassWeights.most...ClassWeights.most).contains(weight))
    }
  }
}
