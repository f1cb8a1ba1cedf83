/// The numbers that may never be published, whoever complains of them: emergency and short numbers, and what the operator
/// has named: banks, authorities, hospitals.
///
/// Made to be asked for each of 2,000,000 numbers: a look-up is a binary search, well under a microsecond.
public struct ProtectedNumbers: Sendable {
  /// Sorted, with the index of each one's reason beside it.
  let numbers: [Int64]
  let numberReasons: [UInt32]
  /// Blocks of numbers by their first one. Beside each, the block that reaches furthest of all up to it: any block that
  /// holds a number begins at or before it, so it is enough to ask that one.
  let blockStarts: [Int64]
  let furthest: [(end: Int64, reason: UInt32)]
  let reasons: [OperatorReason]
  let shortNumber: @Sendable (Int64) -> ProtectionReason?

  /// Nothing is protected.
  public static let none = ProtectedNumbers(patterns: [], numbers: [])

  /// - Parameters:
  ///   - patterns: with why each is protected, such as `emergency services of Berlin`.
  ///   - numbers: E.164 digits in any order, with why; of two reasons for one number the first stands.
  ///   - shortNumber: the reason of an emergency or short number; nil for an ordinary one. The numbering plans are
  ///     known elsewhere.
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
    self.furthest = furthest
    self.reasons = reasons
    self.shortNumber = shortNumber
  }

  /// The reason why a number is protected; nil where it is not.
  /// - Parameter number: E.164 digits; whatever no number can be is not protected.
  public func rule(for number: Int64) -> ProtectionReason? {
    guard (1...999_999_999_999_999).contains(number) else { return nil }
    let place = numbers.firstPlace(atLeast: number)
    if place < numbers.count, numbers[place] == number { return reasons[Int(numberReasons[place])].reason }
    let next = blockStarts.firstPlace(atLeast: number + 1)
    if next > 0, furthest[next - 1].end >= number { return reasons[Int(furthest[next - 1].reason)].reason }
    return shortNumber(number)
  }
}

/// The text of an operator, with the pattern that it is about. Millions of numbers share few of them, and only the numbers
/// that are found need a ``ProtectionReason``.
struct OperatorReason: Hashable {
  let text: String
  /// Nil for the reason of a single number.
  var pattern: String?

  var reason: ProtectionReason {
    pattern.map { .protectedPattern(reason: text, pattern: $0) } ?? .protectedNumber(reason: text)
  }
}
