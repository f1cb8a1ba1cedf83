// SPDX-License-Identifier: Apache-2.0

/// A range of numbers: all numbers with a prefix, or all from a first to a last one.
public struct RangePattern: Sendable, Hashable {
  /// The form that is stored and shown: `+33199*`, `+3319900024x`, or `+33199000000-+33199000499`.
  public let text: String
  /// The numbers of each length, ascending.
  public let blocks: [ClosedRange<Int64>]

  /// The most numbers of a range: as many as a pack holds.
  public static let maxSize: Int64 = 16_777_216
  /// The fewest digits of a prefix behind the calling code.
  static let minNationalDigits = 2

  /// - Parameter blocks: ascending.
  public init(stored text: String, blocks: [ClosedRange<Int64>]) {
    (self.text, self.blocks) = (text, blocks)
  }

  /// The block of ten, a hundred or another power of ten of numbers around a number.
  public init(around number: Int64, size: Int64) {
    let first = number / size * size
    text = "+\(first / size)" + String(repeating: "x", count: String(size).utf8.count - 1)
    blocks = [max(1, first)...first + size - 1]
  }

  /// Reads a range: `+33199*`, `+33199xxxxxx` (`#` is read as `x`), or `+33199000000-+33199000499`. The plus may be
  /// missing; spaces, dots, slashes and brackets are dropped.
  /// - Throws: ``RangeViolation``.
  public init(_ text: String, plan: RangePlan) throws(RangeViolation) {
    let plain = text.filter { !" ./()".contains($0) }
    func bad(_ code: RangeViolation.Code, _ values: [String: CodedValue] = [:]) -> RangeViolation {
      RangeViolation(code, pattern: text, values)
    }
    guard plain.utf8.count <= 40 else { throw bad(.tooLong) }
    let parts = plain.split(separator: "-", omittingEmptySubsequences: false)
    if parts.count == 2 {
      let ends = parts.map { $0.drop { $0 == "+" } }
      guard ends.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }), let first = Int64(ends[0]), let last = Int64(ends[1])
      else { throw bad(.unexpectedCharacter) }
      guard ends.allSatisfy({ $0.utf8.count <= 15 }) else { throw bad(.tooLong) }
      guard ends.allSatisfy({ $0.first != "0" }) else { throw bad(.noPlan) }
      guard first < last, ends[0].utf8.count == ends[1].utf8.count else { throw bad(.wrongOrder) }
      let prefix = Self.commonPrefix(first, last)
      guard let code = plan.callingCode(first), code == plan.callingCode(last) else { throw bad(.noPlan) }
      try self.init(text: "+\(first)-+\(last)", blocks: [first...last], prefix: prefix, plan, bad)
      return
    }
    let body = plain.drop { $0 == "+" }
    let fixed = body.prefix { ("0"..."9").contains($0) }
    let rest = body.dropFirst(fixed.count)
    guard rest.allSatisfy({ "xX#*".contains($0) || ("0"..."9").contains($0) }) else { throw bad(.unexpectedCharacter) }
    guard body.utf8.count <= 15 else { throw bad(.tooLong) }
    guard fixed.first != "0" else { throw bad(.noPlan) }
    if rest == "*" {
      guard let prefix = Int64(fixed) else { throw bad(.tooWide) }
      try Self.check(prefix, plan, bad)
      let lengths = plan.lengths(prefix).filter { $0 > fixed.utf8.count }
      let blocks = lengths.map { Self.block(prefix, wildcards: $0 - fixed.utf8.count) }
      try self.init(text: "+\(prefix)*", blocks: blocks, prefix: prefix, plan, bad)
    } else {
      guard rest.allSatisfy({ "xX#".contains($0) }) else { throw bad(.wildcardWithin) }
      guard !rest.isEmpty else { throw bad(.singleNumber) }
      guard let prefix = Int64(fixed) else { throw bad(.tooWide) }
      try Self.check(prefix, plan, bad)
      try self.init(
        text: "+\(prefix)" + String(repeating: "x", count: rest.count),
        blocks: [Self.block(prefix, wildcards: rest.count)], prefix: prefix, plan, bad)
    }
  }

  private init(
    text: String, blocks: [ClosedRange<Int64>], prefix: Int64, _ plan: RangePlan,
    _ bad: (RangeViolation.Code, [String: CodedValue]) -> RangeViolation
  ) throws(RangeViolation) {
    let lengths = plan.lengths(prefix)
    let size = blocks.reduce(0) { $0 + $1.size }
    guard size <= Self.maxSize else {
      throw bad(
        .tooMany,
        ["numbers": CodedValue(size), "maximum": CodedValue(Self.maxSize), "lengths": .text(Self.list(lengths))])
    }
    for block in blocks {
      if let short = plan.shortNumber(block) { throw bad(.shortNumber, ["number": "+\(short)"]) }
    }
    guard !blocks.isEmpty, !lengths.isEmpty else { throw bad(.noNumbers, [:]) }
    for block in blocks {
      let length = Self.digits(block.lowerBound)
      guard lengths.contains(length) else {
        throw bad(.noSuchLength, ["length": CodedValue(length), "lengths": .text(Self.list(lengths))])
      }
    }
    (self.text, self.blocks) = (text, blocks)
  }

  /// The prefix belongs to one numbering plan and is not most of it.
  private static func check(
    _ prefix: Int64, _ plan: RangePlan, _ bad: (RangeViolation.Code, [String: CodedValue]) -> RangeViolation
  ) throws(RangeViolation) {
    guard let code = plan.callingCode(prefix) else { throw bad(digits(prefix) < 3 ? .tooWide : .noPlan, [:]) }
    guard digits(prefix) - digits(code) >= minNationalDigits else { throw bad(.tooWide, [:]) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func list(_ lengths: [Int]) -> String { lengths.map(String.init).joined(separator: ", ") }

  private static func digits(_ number: Int64) -> Int { String(number).utf8.count }

  private static func block(_ prefix: Int64, wildcards: Int) -> ClosedRange<Int64> {
    let size = (0..<wildcards).reduce(Int64(1)) { size, _ in size * 10 }
    return prefix * size...prefix * size + size - 1
  }

  private static func commonPrefix(_ first: Int64, _ last: Int64) -> Int64 {
    var (first, last) = (first, last)
    while first != last { if first > last { first /= 10 } else { last /= 10 } }
    return first
  }

  public var prefix: Int64 {
    blocks.reduce(first) { Self.commonPrefix(Self.commonPrefix($0, $1.lowerBound), $1.upperBound) }
  }

  public var size: Int64 { blocks.reduce(0) { $0 + $1.size } }

  public var first: Int64 { blocks[0].lowerBound }

  public func contains(_ number: Int64) -> Bool { blocks.contains { $0.contains(number) } }
}

extension ClosedRange<Int64> {
  public var size: Int64 { upperBound - lowerBound + 1 }

  /// The fewest blocks that make up the numbers, each of a power of ten with a common prefix; ascending.
  public var decimalBlocks: [(prefix: Int64, wildcards: Int)] {
    var blocks: [(prefix: Int64, wildcards: Int)] = []
    var next = lowerBound
    while next <= upperBound {
      var (size, wildcards): (Int64, Int) = (1, 0)
      while next % (size * 10) == 0, next + size * 10 - 1 <= upperBound {
        (size, wildcards) = (size * 10, wildcards + 1)
      }
      blocks.append((next / size, wildcards))
      next += size
    }
    return blocks
  }
}

/// Facts about numbering plans, which are not part of this target.
public struct RangePlan: Sendable {
  /// The calling code that digits begin with; nil for none.
  public var callingCode: @Sendable (Int64) -> Int64?
  /// The lengths of valid numbers that begin with these digits, the calling code included; ascending.
  public var lengths: @Sendable (Int64) -> [Int]
  /// The first emergency or short number among numbers of one length.
  public var shortNumber: @Sendable (ClosedRange<Int64>) -> Int64?

  public init(
    callingCode: @escaping @Sendable (Int64) -> Int64?, lengths: @escaping @Sendable (Int64) -> [Int],
    shortNumber: @escaping @Sendable (ClosedRange<Int64>) -> Int64?
  ) {
    (self.callingCode, self.lengths, self.shortNumber) = (callingCode, lengths, shortNumber)
  }
}

/// A rule that the text of a range breaks.
public struct RangeViolation: Error, CodedMessage, CustomStringConvertible {
  public enum Code: MessageCode {
    /// Something other than digits, wildcards and a hyphen between two numbers.
    case unexpectedCharacter
    /// A wildcard before a digit.
    case wildcardWithin
    /// A complete number, which is a decision and not a range.
    case singleNumber
    /// More than 15 digits.
    case tooLong
    /// A calling code, or fewer than two digits behind it.
    case tooWide
    case noPlan
    /// No valid number begins with the digits.
    case noNumbers
    case noSuchLength
    /// The last number is not greater than the first, or has another length.
    case wrongOrder
    /// More numbers than a pack holds.
    case tooMany
    /// An emergency or short number is among the numbers.
    case shortNumber
    /// The source is limited to other countries.
    case otherCountry
  }

  public let code: Code
  /// The field, the text as given, and the figures.
  public let values: [String: CodedValue]

  public init(_ code: Code, pattern: String, _ values: [String: CodedValue] = [:]) {
    self.code = code
    self.values = values.merging(["field": "pattern", "pattern": .text(String(pattern.prefix(64)))]) { $1 }
  }
}
