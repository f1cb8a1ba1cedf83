// SPDX-License-Identifier: Apache-2.0

import Timestamps
import Curation

/// The lines of a simulation, one after the other.
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
