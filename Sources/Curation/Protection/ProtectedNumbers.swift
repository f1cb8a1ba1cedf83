// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// The numbers that may never be published, whatever is reported: emergency and short numbers, and those that the
/// operator protects, such as banks, authorities and hospitals.
///
/// Designed for lookups of 2,000,000 numbers: a lookup is a binary search that takes well under 1 µs.
public struct ProtectedNumbers: Sendable {
  /// Sorted; `numberReasons` has the index of each number's reason.
  let numbers: [Int64]
  let numberReasons: [UInt32]
  /// Starts of the blocks of numbers, sorted. `furthest…` has for each the block with the greatest end among all blocks
  /// up to it: a block that contains a number starts at or before it, so one comparison is enough.
  let blockStarts: [Int64]
  let furthestEnds: [Int64]
  let furthestReasons: [UInt32]
  let reasons: [OperatorReason]
  let shortNumber: @Sendable (Int64) -> ProtectionReason?

  public static let none = ProtectedNumbers(patterns: [], numbers: [])

  /// - Parameters:
  ///   - patterns: each with its reason, such as `emergency services of Berlin`.
  ///   - numbers: E.164 digits in any order, each with its reason; of two reasons for one number the first counts.
  ///   - shortNumber: the reason of an emergency or short number; nil for a regular one. Numbering plans are not part
  ///     of this target.
  public init(
    patterns: [(pattern: ProtectedPattern, reason: String)], numbers: [(number: Int64, reason: String)],
    shortNumber: @escaping @Sendable (Int64) -> ProtectionReason? = { _ in nil }
  ) {
    var builder = ProtectedNumbersBuilder(shortNumber: shortNumber)
    for item in patterns { builder.add(item.pattern, reason: item.reason) }
    for item in numbers { builder.add(item.number, reason: item.reason) }
    self = builder.finish()
  }

  init(
    numbers: [(number: Int64, reason: UInt32)], blocks: [(block: ClosedRange<Int64>, reason: UInt32)],
    reasons: [OperatorReason], shortNumber: @escaping @Sendable (Int64) -> ProtectionReason?
  ) {
    var furthest: [(end: Int64, reason: UInt32)] = []
    furthest.reserveCapacity(blocks.count)
    for item in blocks {
      if let last = furthest.last, last.end >= item.block.upperBound {
        furthest.append(last)
      } else {
        furthest.append((item.block.upperBound, item.reason))
      }
    }
    self.numbers = numbers.map(\.number)
    numberReasons = numbers.map(\.reason)
    blockStarts = blocks.map(\.block.lowerBound)
    furthestEnds = furthest.map(\.end)
    furthestReasons = furthest.map(\.reason)
    self.reasons = reasons
    self.shortNumber = shortNumber
  }

  /// - Parameter number: E.164 digits; digits outside E.164 are not protected.
  public func rule(for number: Int64) -> ProtectionReason? {
    guard PhoneNumber.digitsRange.contains(number) else { return nil }
    let place = numbers.firstPlace(atLeast: number)
    if place < numbers.count, numbers[place] == number { return reasons[Int(numberReasons[place])].reason }
    let next = blockStarts.firstPlace(atLeast: number + 1)
    if next > 0, furthestEnds[next - 1] >= number { return reasons[Int(furthestReasons[next - 1])].reason }
    return shortNumber(number)
  }

  /// Whether another number of the same block of 100 is protected singly, and not by a pattern.
  public func hasNeighbour(of number: Int64) -> Bool {
    numbers.all(in: RangePattern(around: number, size: 100).blocks[0]).contains { $0 != number }
  }

  /// The protected numbers among some, as ranges in ascending order of their first numbers. Emergency and short numbers
  /// are left out: no rule is about them.
  package func ranges(in range: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
    let singles = numbers.all(in: range).map { $0...$0 }
    // A block with the greatest end so far covers everything from the last start to this end.
    var place = furthestEnds.firstPlace(atLeast: range.lowerBound)
    var patterns: [ClosedRange<Int64>] = []
    while place < blockStarts.count, blockStarts[place] <= range.upperBound {
      patterns.append(blockStarts[place]...furthestEnds[place])
      place += 1
    }
    return patterns.isEmpty ? singles : (singles + patterns).sorted { $0.lowerBound < $1.lowerBound }
  }

  /// How many numbers of a range are protected; emergency and short numbers are left out.
  public func count(in range: ClosedRange<Int64>) -> Int64 {
    range.size - RangeMerge.subtract(ranges(in: range), from: range).reduce(0) { $0 + $1.size }
  }

  /// The first protected number among some, with its reason; emergency and short numbers are left out.
  public func first(in range: ClosedRange<Int64>) -> (number: Int64, reason: ProtectionReason)? {
    let number = ranges(in: range).first.map { max($0.lowerBound, range.lowerBound) }
    return number.flatMap { number in rule(for: number).map { (number, $0) } }
  }
}

/// The text of an operator, with its pattern. Millions of numbers share few texts, and only numbers that are found need
/// a ``ProtectionReason``.
struct OperatorReason: Hashable {
  let text: String
  /// Nil for the reason of a single number.
  var pattern: String?

  var reason: ProtectionReason {
    pattern.map { .protectedPattern(reason: text, pattern: $0) } ?? .protectedNumber(reason: text)
  }
}

/// Collects protected numbers one after another; equal reasons are stored once.
public struct ProtectedNumbersBuilder: Sendable {
  private var numbers: [(number: Int64, reason: UInt32)] = []
  private var blocks: [(block: ClosedRange<Int64>, reason: UInt32)] = []
  private var reasons: [OperatorReason] = []
  private var places: [OperatorReason: UInt32] = [:]
  private let shortNumber: @Sendable (Int64) -> ProtectionReason?

  /// - Parameter shortNumber: see ``ProtectedNumbers``.
  public init(shortNumber: @escaping @Sendable (Int64) -> ProtectionReason? = { _ in nil }) {
    self.shortNumber = shortNumber
  }

  public mutating func add(_ number: Int64, reason: String) {
    numbers.append((number, place(of: OperatorReason(text: reason))))
  }

  public mutating func add(_ pattern: ProtectedPattern, reason: String) {
    let place = place(of: OperatorReason(text: reason, pattern: pattern.text))
    for block in pattern.blocks { blocks.append((block, place)) }
  }

  public consuming func finish() -> ProtectedNumbers {
    let isInOrder = zip(numbers, numbers.dropFirst()).allSatisfy { $0.number <= $1.number }
    // The sort is stable: of two reasons for one number the first counts.
    if !isInOrder { numbers.sort { $0.number < $1.number } }
    blocks.sort { ($0.block.lowerBound, $0.block.upperBound) < ($1.block.lowerBound, $1.block.upperBound) }
    return ProtectedNumbers(numbers: numbers, blocks: blocks, reasons: reasons, shortNumber: shortNumber)
  }

  private mutating func place(of reason: OperatorReason) -> UInt32 {
    if let place = places[reason] { return place }
    let place = UInt32(reasons.count)
    reasons.append(reason)
    places[reason] = place
    return place
  }
}

/// The reason why a number may never be published.
public enum ProtectionReason: CodedData {
  public enum CodingKeys: MessageCode {
    case emergencyNumber, shortNumber, invalidNumber, protectedNumber, protectedPattern
  }

  case emergencyNumber
  case shortNumber
  /// A number outside every numbering plan.
  case invalidNumber
  /// An operator has protected it; with the operator's text.
  case protectedNumber(reason: String)
  /// An operator has protected all numbers of a pattern; with the operator's text and the pattern's stored form.
  case protectedPattern(reason: String, pattern: String)

  /// The operator's text; nil where the server itself protects the number.
  public var operatorText: String? {
    switch self {
    case .protectedNumber(let reason), .protectedPattern(let reason, _): reason
    case .emergencyNumber, .shortNumber, .invalidNumber: nil
    }
  }
}
