// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
import Support

/// Generates complaints that resemble real ones, the same bytes for the same arguments.
///
/// A few numbers get most complaints (Zipf's law with exponent 1), campaigns start suddenly and decay by half-lives,
/// ranges of adjacent numbers are used together, each number has a category that most of its complaints have, and a few
/// legitimate numbers have mixed votes. The lines are JSON with the keys of `POST /v1/reports`, in order of time, and
/// end with LF.
///
/// Numbers that are not fictional are drawn at random among valid ones and may be someone's: never publish a pack made of
/// them. The output does not depend on the system's random numbers, locale, clock or floating-point library. Valid numbers
/// depend on the numbering plans, so another version of them may give other bytes. Memory: 8 bytes for each complaint and
/// about 120 bytes for each number.
public struct ComplaintSimulator: Sendable, Sequence {
  public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A country that is not among ``ComplaintSimulator/countries``.
    case unknownCountry(String)
    /// An argument out of its range; the text names it.
    case badArgument(String)
    /// The country does not have that many numbers.
    case tooManyNumbers(region: String)

    public var description: String {
      switch self {
      case .unknownCountry(let code):
        "\(code.prefix(16)) cannot be simulated; these can: \(ComplaintSimulator.countries.joined(separator: ", "))"
      case .badArgument(let text): text
      case .tooManyNumbers(let region): "\(region) does not have that many numbers: ask for fewer"
      }
    }
  }

  /// The regions that can be simulated, ISO 3166, in alphabetical order.
  public static let countries: [String] = SimulatedCountry.all.keys.sorted()

  /// The most complaints, numbers and reporters.
  public static let maximumCount = 100_000_000

  let seed: UInt64
  let reporters: Int
  let start: Int
  let numbers: [SimulatedNumber]
  /// Time and number of each complaint: the second in the upper 32 bits, the number's index in the lower, ascending.
  let events: [UInt64]

  /// Draws the numbers and the times of their complaints.
  /// - Parameters:
  ///   - complaints: lines, 0 to ``maximumCount``.
  ///   - numbers: distinct callers to draw from, 1 to ``maximumCount``; with few complaints not all of them occur.
  ///   - reporters: distinct pseudonyms to draw from, 1 to ``maximumCount``.
  ///   - countries: regions among ``ComplaintSimulator/countries``; one that is named twice is drawn twice as often.
  ///   - isFictional: draws US numbers that are reserved for fiction in place of the countries' numbers; there are 9,600.
  ///   - endingAt: the latest complaint is before this, in whole seconds, 1971 to 9999.
  ///   - days: how long before that the first may be, 1 to 3,650.
  /// - Throws: ``Failure``.
  public init(
    seed: UInt64, complaints: Int, numbers: Int, reporters: Int, countries: [String] = ["US"],
    isFictional: Bool = false, endingAt: Date, days: Int
  ) throws(Failure) {
    func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(Failure) {
      guard range.contains(value) else {
        throw .badArgument("\(name) is \(value), not from \(range.lowerBound) to \(range.upperBound)")
      }
    }
    try check("complaints", complaints, 0...Self.maximumCount)
    try check("numbers", numbers, 1...Self.maximumCount)
    try check("reporters", reporters, 1...Self.maximumCount)
    try check("days", days, 1...3_650)
    let end = endingAt.timeIntervalSince1970
    guard (Double(days) * 86_400..<253_402_300_800).contains(end) else {
      throw .badArgument("the end is not between 1970 and 9999")
    }
    guard !countries.isEmpty else { throw .badArgument("no country is given") }
    var drawn: [SimulatedCountry] = []
    for code in countries {
      guard let country = SimulatedCountry.all[code.uppercased()] else { throw .unknownCountry(code) }
      drawn.append(country)
    }
    if isFictional { drawn = [.fiction] }
    self.seed = seed
    self.reporters = reporters
    start = Int(end) - days * 86_400
    var maker = SimulatedNumberMaker(seed: seed, countries: drawn, seconds: days * 86_400)
    self.numbers = try maker.make(numbers)
    events = Self.events(seed: seed, count: complaints, numbers: self.numbers, seconds: days * 86_400)
  }

  /// Iterates over the lines as bytes of UTF-8, each with its LF.
  public func makeIterator() -> ComplaintLines { ComplaintLines(self) }

  private static func events(seed: UInt64, count: Int, numbers: [SimulatedNumber], seconds: Int) -> [UInt64] {
    var random = SplitMix64(seed: seed, purpose: 2)
    // Zipf in integers: the weight of rank r is 2⁴⁰ / (r + 2), so that the first does not dominate.
    var sums: [Int] = []
    sums.reserveCapacity(numbers.count)
    for rank in 0..<numbers.count { sums.append((sums.last ?? 0) + (1 << 40) / (rank + 2)) }
    var ranks = Array(0..<UInt32(numbers.count))
    // Fisher–Yates; the standard library's shuffle may change between versions.
    for index in stride(from: ranks.count - 1, to: 0, by: -1) { ranks.swapAt(index, random.below(index + 1)) }
    var events: [UInt64] = []
    events.reserveCapacity(count)
    for _ in 0..<count {
      let draw = random.below(sums[sums.count - 1])
      let rank = sums.partitioningIndex { $0 > draw }
      let index = Int(ranks[rank])
      let second = Self.second(of: numbers[index], seconds: seconds, &random)
      events.append(UInt64(second) << 32 | UInt64(index))
    }
    events.sort()
    return events
  }

  /// A time after the campaign's start: each half-life contains half of the remaining complaints.
  private static func second(of number: SimulatedNumber, seconds: Int, _ random: inout SplitMix64) -> Int {
    if number.isLegitimate { return random.below(seconds) }
    let halfLives = Swift.min(8, random.next().trailingZeroBitCount)
    let second = number.start + halfLives * number.halfLife + random.below(number.halfLife)
    return second < seconds ? second : number.start + random.below(seconds - number.start)
  }
}

public struct ComplaintLines: IteratorProtocol, Sendable {
  private static let spam = ReportCategory.allCases.filter(\.isToxic)
  private static let comments = [
    "Hung up when I answered.", "Recorded voice about a car warranty.", "Asked for my bank card number.",
    "Said they were from the tax office.", "Silence, then they hung up.", "Third call today.",
    "Wanted to sell solar panels.", "Claimed my parcel was held at customs.", "Rang once and stopped.",
    "A survey that turned into a sales call.", "Would not say who they were.", "Said my computer had a virus.",
    "Offered a loan I never asked for.", "Calls every evening at dinner time.", "Told me I had won a prize.",
  ]
  private static let kindComments = [
    "My doctor's office, reminding me of a visit.", "The delivery driver at the door.", "The school called back.",
    "It was the pharmacy.",
  ]

  private let simulator: ComplaintSimulator
  private var random: SplitMix64
  private var index = 0

  init(_ simulator: ComplaintSimulator) {
    self.simulator = simulator
    random = SplitMix64(seed: simulator.seed, purpose: 3)
  }

  /// The next line as bytes of UTF-8 with its LF, nil at the end.
  public mutating func next() -> [UInt8]? {
    guard index < simulator.events.count else { return nil }
    let event = simulator.events[index]
    index += 1
    let number = simulator.numbers[Int(event & 0xFFFF_FFFF)]
    let category = drawCategory(number)
    var line: [UInt8] = []
    line.reserveCapacity(256)
    func add(_ text: String) { line.append(contentsOf: text.utf8) }
    add("{\"number\":\"")
    addNumber(number, to: &line)
    add("\",\"region\":\"")
    add(number.region)
    add("\",\"category\":\"")
    add(category.slug)
    add("\",\"reporter\":\"sim-")
    addReporter(to: &line)
    add("\",\"report_id\":\"")
    addReportID(to: &line)
    add("\",\"reported_at\":\"")
    add(Timestamp.format(simulator.start + Int(event >> 32)))
    if random.chance(8) {
      add("\",\"comment\":\"")
      add(random.pick(category == .legitimate ? Self.kindComments : Self.comments))
    }
    add("\"}\n")
    return line
  }

  private mutating func drawCategory(_ number: SimulatedNumber) -> ReportCategory {
    if random.chance(number.isLegitimate ? 70 : 2) { return .legitimate }
    return random.chance(85) ? number.category : random.pick(Self.spam)
  }

  /// The number with its plus, or in one of the national forms of North America.
  private mutating func addNumber(_ number: SimulatedNumber, to line: inout [UInt8]) {
    let digits = Array(String(number.digits).utf8)
    guard digits.count == 11, digits[0] == UInt8(ascii: "1"), random.chance(20) else {
      line.append(UInt8(ascii: "+"))
      line.append(contentsOf: digits)
      return
    }
    let (open, behindArea, dash) = random.pick([("", "", ""), ("(", ") ", "-"), ("", "-", "-"), ("1 ", " ", " ")])
    line.append(contentsOf: open.utf8)
    line.append(contentsOf: digits[1..<4])
    line.append(contentsOf: behindArea.utf8)
    line.append(contentsOf: digits[4..<7])
    line.append(contentsOf: dash.utf8)
    line.append(contentsOf: digits[7...])
  }

  /// Draws a reporter; half of the complaints come from an eighth of the reporters or fewer.
  private mutating func addReporter(to line: inout [UInt8]) {
    let bound = random.chance(50) ? max(1, simulator.reporters / 8) : simulator.reporters
    let reporter = UInt64(random.below(bound))
    var mixer = SplitMix64(seed: simulator.seed, purpose: reporter &+ 1_000)
    Self.addHex(mixer.next(), to: &line)
  }

  /// Draws a UUID of version 8 (RFC 9562).
  private mutating func addReportID(to line: inout [UInt8]) {
    var hex: [UInt8] = []
    hex.reserveCapacity(32)
    Self.addHex(random.next() & ~0xF000 | 0x8000, to: &hex)
    Self.addHex(random.next() & ~(0b11 << 62) | 0b10 << 62, to: &hex)
    for (position, range) in [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].enumerated() {
      if position > 0 { line.append(UInt8(ascii: "-")) }
      line.append(contentsOf: hex[range])
    }
  }

  private static func addHex(_ word: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(word >> shift & 0xF)
      bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
  }
}
