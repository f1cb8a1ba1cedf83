// SPDX-License-Identifier: Apache-2.0

/// A pattern of protected numbers: E.164 digits, in which `x` matches any one digit and a `*` at the end any further
/// digits.
///
/// `+49116117` is one number, `+49116xxx` a thousand, `+4930197*` all numbers with that prefix. At least four digits
/// precede the first wildcard, so that a typing error does not protect a country, and at most two `x` precede a digit,
/// so that a pattern is never more than a hundred blocks of numbers of each length.
public struct ProtectedPattern: Sendable, Hashable {
  /// The stored and displayed form: `+`, digits, `x`, and perhaps a `*` at the end.
  public let text: String
  package let blocks: [ClosedRange<Int64>]

  /// The fewest digits before a wildcard.
  public static let minDigits = 4
  /// The same in a list of somebody else: a block of numbers, and not a country or a network.
  public static let minDigitsOfList = 7
  /// The most `x` before a digit.
  static let maxInnerWildcards = 2
  public static let maxDigits = 15

  /// - Parameter text: as typed; spaces, dots, hyphens, slashes and brackets are dropped, `X` is read as `x`.
  /// - Throws: ``ProtectedPatternError``.
  public init(_ text: String) throws(ProtectedPatternError) {
    guard text.utf8.count <= 64 else { throw .tooLong }
    var places: [UInt8?] = []
    var isOpen = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "/"):
        continue
      case UInt8(ascii: "+") where places.isEmpty: continue
      case _ where isOpen: throw .starWithin
      case UInt8(ascii: "0")...UInt8(ascii: "9"): places.append(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "x"), UInt8(ascii: "X"): places.append(nil)
      case UInt8(ascii: "*"): isOpen = true
      default: throw .unexpected
      }
    }
    guard places.prefix(Self.minDigits).count(where: { $0 != nil }) == Self.minDigits, places.first != 0 else {
      throw .tooWide
    }
    guard places.count <= Self.maxDigits else { throw .tooLong }
    let trailing = places.reversed().prefix { $0 == nil }.count
    let fixed = places.dropLast(trailing)
    guard fixed.count(where: { $0 == nil }) <= Self.maxInnerWildcards else { throw .tooManyWildcards }
    self.text = "+" + places.map { $0.map(String.init) ?? "x" }.joined() + (isOpen ? "*" : "")
    blocks = Self.blocks(of: Array(fixed), open: trailing...(isOpen ? Self.maxDigits - fixed.count : trailing))
  }

  /// Whether at least ``minDigitsOfList`` digits precede the first wildcard.
  public var isNarrow: Bool { text.dropFirst().prefix { $0.isNumber }.count >= Self.minDigitsOfList }

  private static func blocks(of digits: [UInt8?], open: ClosedRange<Int>) -> [ClosedRange<Int64>] {
    var heads: [Int64] = [0]
    for digit in digits {
      let choices = digit.map { Int64($0)...Int64($0) } ?? 0...9
      heads = heads.flatMap { head in choices.map { head * 10 + $0 } }
    }
    return open.flatMap { count in
      let size = (0..<count).reduce(Int64(1)) { power, _ in power * 10 }
      return heads.map { $0 * size...$0 * size + size - 1 }
    }
  }
}

/// The reason why a text is not a pattern. The raw value is the code of its message.
public enum ProtectedPatternError: String, Error, CaseIterable {
  /// Something other than digits, `x` and `*`.
  case unexpected = "unexpected_character"
  /// A `*` that is not at the end.
  case starWithin = "star_within"
  /// Too few digits before the first wildcard.
  case tooWide = "too_wide"
  /// Too few digits before the first wildcard for a pattern of a list.
  case tooWideForList = "too_wide_for_list"
  case tooLong = "too_long"
  /// Too many `x` before a digit.
  case tooManyWildcards = "too_many_wildcards"
  /// Neither a pattern nor a number in a numbering plan.
  case notANumber = "not_a_number"
  /// A national or a short number without its region.
  case needsRegion = "needs_region"
}
