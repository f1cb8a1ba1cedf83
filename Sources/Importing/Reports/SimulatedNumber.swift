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

struct SimulatedNumberMaker {
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
  /// How many numbers a block has in which campaigns use several.
  private let block: Int
  private var taken: Set<Int64> = []

  init(seed: UInt64, countries: [SimulatedCountry], seconds: Int) {
    random = SplitMix64(seed: seed, purpose: 1)
    self.countries = countries
    self.seconds = seconds
    block = countries.contains { $0.prefixes.contains { $0.rest < 3 } } ? 100 : 1_000
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

  /// A number of the same block and the same campaign, nil when a few draws find none.
  private mutating func neighbour(of number: SimulatedNumber) -> SimulatedNumber? {
    for _ in 0..<8 {
      let digits = number.digits - number.digits % Int64(block) + Int64(random.below(block))
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

/// The prefixes of a country from which numbers are drawn that are mostly in the numbering plans.
struct SimulatedCountry: Sendable {
  /// ISO 3166.
  var region: String
  var callingCode: String
  /// Prefixes of national numbers, and the count of digits after each.
  var prefixes: [(digits: String, rest: Int)]

  static let all: [String: SimulatedCountry] = Dictionary(
    uniqueKeysWithValues: list.map { ($0.region, $0) })

  /// US numbers that are reserved for fiction: 555-0100 to 555-0199, in area codes that neither cases of the demo data nor
  /// examples of documents use.
  static let fiction = country(
    "US", "1", 2,
    """
    203 205 206 207 208 209 210 214 215 216 217 218 219 224 225 228 229 231 234 239 240 248 251 \
    252 253 254 256 260 262 267 269 270 276 281 301 302 304 305 307 308 309 310 312 313 314 315 316 \
    317 318 319 320 321 323 325 330 334 336 337 339 347 351 352 360 361 386 401 402 405 406 407 408 \
    409 410 412 413 414 415 417 419 423 424 425 432 434 435 440 443 458 469 478 479 480 484 501 502 503
    """.split(separator: " ").map { "\($0)55501" })

  private static let list: [SimulatedCountry] = [
    country("US", "1", 7, ["202", "212", "213", "305", "312", "404", "415", "469", "512", "602", "702", "713", "800"]),
    country("CA", "1", 7, ["416", "514", "604", "403", "613", "902"]),
    country("GB", "44", 7, ["203", "207", "121", "161", "131", "740", "791", "800"]),
    country("DE", "49", 7, ["301", "894", "402", "221", "1512", "1764", "1577"]),
    country("FR", "33", 6, ["162", "140", "424", "556", "644", "678", "948"]),
    country("RU", "7", 7, ["495", "499", "812", "343", "916", "925", "963"]),
    country("NZ", "64", 6, ["93", "96", "44", "48", "33", "212", "274"]),
    country("AU", "61", 7, ["28", "29", "38", "73", "412", "433"]),
    country("ES", "34", 6, ["910", "912", "932", "954", "612", "655"]),
    country("IT", "39", 6, ["0266", "0687", "0810", "3401", "3482"]),
    country("IN", "91", 7, ["112", "222", "981", "990", "740"]),
    country("BR", "55", 7, ["1132", "2135", "1198", "2199"]),
    country("PL", "48", 6, ["221", "226", "126", "512", "601", "791"]),
    country("NL", "31", 6, ["205", "103", "702", "612", "634"]),
    country("SG", "65", 6, ["61", "65", "81", "91"]),
  ]

  private static func country(
    _ region: String, _ callingCode: String, _ rest: Int, _ prefixes: [String]
  ) -> SimulatedCountry {
    SimulatedCountry(region: region, callingCode: callingCode, prefixes: prefixes.map { ($0, rest) })
  }
}

/// Steele, Lea and Flood's SplitMix64: a small generator whose sequence is the same everywhere, for data that must be
/// reproducible from a seed. Not for secrets.
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// A separate generator for one of several purposes, so that more draws for one do not change another.
  package init(seed: UInt64, purpose: UInt64) {
    var mixer = SplitMix64(seed: seed ^ (purpose &* 0xD134_2543_DE82_EF95))
    state = mixer.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// An evenly distributed number from 0 up to, not including, `bound`, which is 1 or more. The bias, below bound /
  /// 2⁶⁴, does not matter here.
  package mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// There is at least one element.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
