// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import TestData

/// Random records, close enough to the thresholds below that every condition decides in some of them.
extension NumberRecord {
  /// - Parameter number: E.164 digits; the other values are random.
  public static func random(number: Int64, at now: Date, using generator: inout SeededGenerator) -> NumberRecord {
    let count = Int.random(in: 1...3, using: &generator)
    let parts = ReportCategory.allCases.shuffled(using: &generator).prefix(count).map { category in
      let weight = Double.random(in: 0...6, using: &generator)
      let said = now - Double.random(in: 0...60, using: &generator) * 86_400
      return NumberAggregate.Part(
        category: category, heat: Decay.heat.storedSum(of: weight, at: said),
        evidence: Decay.evidence.storedSum(of: weight, at: said), reports: Int64(weight),
        reporters: Int32.random(in: 0...6, using: &generator))
    }
    var record = NumberRecord(
      number: number, standing: NumberAggregate(parts: parts.sorted { $0.category.rawValue < $1.category.rawValue }),
      days: .random(using: &generator), networks: NetworkSketch(bits: fewBits(using: &generator)),
      isListed: Bool.random(using: &generator))
    if record.isListed { record.isBlocked = Int.random(in: 0..<3, using: &generator) > 0 }
    for appID in 1...3 as ClosedRange<Int32> where Int.random(in: 0..<3, using: &generator) == 0 {
      let complaints = Int.random(in: 0...6, using: &generator)
      // At most a part of the number's sums.
      let share = complaints == 0 ? 0 : Double.random(in: 0...0.3, using: &generator)
      record.sources.append(
        SourceTally(
          appID: appID, complaints: complaints, heat: record.standing.heat * share,
          evidence: parts.filter(\.category.isToxic).reduce(0) { $0 + $1.evidence } * share,
          days: .random(using: &generator)))
    }
    return record
  }
}

extension ComplaintDays {
  fileprivate static func random(using generator: inout SeededGenerator) -> ComplaintDays {
    Bool.random(using: &generator)
      ? ComplaintDays(
        bits: 1 | fewBits(using: &generator), lastDay: Int32.random(in: 20_700...20_780, using: &generator))
      : ComplaintDays()
  }
}

/// About four bits of 64.
private func fewBits(using generator: inout SeededGenerator) -> UInt64 {
  generator.next() & generator.next() & generator.next() & generator.next()
}

extension ThresholdSet {
  /// A random valid set, with some countries.
  /// - Parameter countries: countries that may have their own thresholds.
  public static func random(countries: [String], using generator: inout SeededGenerator) throws -> ThresholdSet {
    var thresholds: [Threshold] = []
    for category in ReportCategory.allCases where category.isToxic {
      thresholds.append(.random(category, country: nil, using: &generator))
      for country in countries where Int.random(in: 0..<4, using: &generator) == 0 {
        thresholds.append(.random(category, country: country, using: &generator))
      }
    }
    let sources = (0...2 as ClosedRange<Int32>).map { appID in
      let enter = SourceRule.Bar(
        complaints: Int.random(in: 1...4, using: &generator), days: Int.random(in: 1...4, using: &generator))
      let leave = SourceRule.Bar(
        complaints: Int.random(in: 1...enter.complaints, using: &generator),
        days: Int.random(in: 1...enter.days, using: &generator))
      return SourceRule(
        appID: appID, weight: [0, 0.5, 1].randomElement(using: &generator) ?? 1, enter: enter, leave: leave)
    }
    return try ThresholdSet(thresholds: thresholds, sources: sources)
  }
}

extension Threshold {
  fileprivate static func random(
    _ category: ReportCategory, country: String?, using generator: inout SeededGenerator
  ) -> Threshold {
    let enter = ThresholdLimits(
      heat: .random(in: 0.5...4, using: &generator), evidence: .random(in: 0...3, using: &generator),
      confidence: .random(in: 0...0.5, using: &generator), reporters: .random(in: 0...3, using: &generator),
      networks: .random(in: 0...4, using: &generator), days: .random(in: 0...4, using: &generator))
    let leave = ThresholdLimits(
      heat: .random(in: 0.1...enter.heat, using: &generator),
      evidence: .random(in: 0...enter.evidence, using: &generator),
      confidence: .random(in: 0...enter.confidence, using: &generator),
      reporters: .random(in: 0...enter.reporters, using: &generator),
      networks: .random(in: 0...enter.networks, using: &generator), days: .random(in: 0...enter.days, using: &generator)
    )
    return Threshold(
      category: category, country: country, enter: enter, leave: leave,
      reviewHeat: .random(in: 0.1...enter.heat, using: &generator))
  }
}
