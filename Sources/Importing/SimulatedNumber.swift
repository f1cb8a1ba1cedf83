// SPDX-License-Identifier: Apache-2.0

import Curation
import PhoneNumbers

/// A simulated caller: its number, its category, and the time of its campaign.
struct SimulatedNumber: Sendable {
  /// E.164 digits without the plus.
  var digits: Int64
  var region: String
  /// Whether most votes call it legitimate.
  var isLegitimate: Bool
  /// The category of most complaints.
  var category: ReportCategory
  /// When its campaign starts, in seconds from the simulation's start.
  var start: Int
  /// The half-life of its complaints, in seconds.
  var halfLife: Int
}

/// Draws the callers of a simulation.
struct SimulatedNumberMaker {
  /// The percentage of legitimate numbers.
  private static let legitimatePercent = 4
  /// The percentage of numbers in the same block as the number before.
  private static let neighbourPercent = 35
  private static let categories: [(category: ReportCategory, weight: Int)] = [
    (.telemarketing, 24), (.robocall, 20), (.fraud, 20), (.silent, 9), (.debtCollection, 6), (.oneRing, 5),
    (.survey, 5), (.harassment, 3), (.political, 3), (.gambling, 2), (.pyramid, 2), (.other, 1),
  ]

  private var random: SplitMix64
  private let countries: [SimulatedCountry]
  private let seconds: Int
  private var taken: Set<Int64> = []

  init(seed: UInt64, countries: [SimulatedCountry], seconds: Int) {
    random = SplitMix64(seed: seed, purpose: 1)
    self.countries = countries
    self.seconds = seconds
  }

  /// Distinct valid numbers; every number beyond the first may be adjacent to the one before.
  mutating func make(_ count: Int) throws(ComplaintSimulator.Failure) -> [SimulatedNumber] {
    var numbers: [SimulatedNumber] = []
    numbers.reserveCapacity(count)
    while numbers.count < count {
      if let last = numbers.last, !last.isLegitimate, random.chance(Self.neighbourPercent),
        let near = neighbour(of: last)
      {
        numbers.append(near)
      } else {
        numbers.append(try stranger())
      }
    }
    return numbers
  }

  private mutating func stranger() throws(ComplaintSimulator.Failure) -> SimulatedNumber {
    let country = random.pick(countries)
    // Most draws are valid and unused; thousands of failures in a row mean that the country has no more numbers.
    for _ in 0..<5_000 {
      let prefix = random.pick(country.prefixes)
      var text = country.callingCode + prefix.digits
      for _ in 0..<prefix.rest { text.append(String(random.below(10))) }
      guard let digits = Int64(text), take(digits, region: country.region) else { continue }
      let isLegitimate = random.chance(Self.legitimatePercent)
      return SimulatedNumber(
        digits: digits, region: country.region, isLegitimate: isLegitimate, category: drawCategory(),
        start: random.below(seconds), halfLife: drawHalfLife(isLegitimate))
    }
    throw .tooManyNumbers(region: country.region)
  }

  /// A number of the same block of 1,000 and the same campaign, nil when a few draws find none.
  private mutating func neighbour(of number: SimulatedNumber) -> SimulatedNumber? {
    for _ in 0..<8 {
      let digits = number.digits - number.digits % 1_000 + Int64(random.below(1_000))
      guard take(digits, region: number.region) else { continue }
      var near = number
      near.digits = digits
      near.start = min(seconds - 1, number.start + random.below(86_400))
      return near
    }
    return nil
  }

  private mutating func take(_ digits: Int64, region: String) -> Bool {
    guard !taken.contains(digits), let number = PhoneNumber(digits: digits), number.isValid, number.region == region
    else { return false }
    taken.insert(digits)
    return true
  }

  private mutating func drawCategory() -> ReportCategory {
    var left = random.below(Self.categories.reduce(0) { $0 + $1.weight })
    for (category, weight) in Self.categories {
      if left < weight { return category }
      left -= weight
    }
    return .other
  }

  /// Campaigns decay within hours or weeks; complaints about a legitimate number are spread over the total time.
  private mutating func drawHalfLife(_ isLegitimate: Bool) -> Int {
    if isLegitimate { return seconds }
    return 3_600 * (6 + random.below(36)) << random.below(4)
  }
}
