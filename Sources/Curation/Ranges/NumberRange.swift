// SPDX-License-Identifier: Apache-2.0

/// A range of numbers that differ only in the last one or two digits.
public struct NumberRange: Sendable, Hashable {
  /// The first number, E.164 digits; a multiple of ``size``.
  public let first: Int64
  /// Number of varying digits: 1 or 2.
  public let digits: Int16

  /// - Parameter digits: 1 or 2.
  public init(around number: Int64, digits: Int16) {
    precondition(digits == 1 || digits == 2)
    let size: Int64 = digits == 1 ? 10 : 100
    self.digits = digits
    first = number / size * size
  }

  /// 10 or 100.
  public var size: Int64 { digits == 1 ? 10 : 100 }

  /// All its numbers in ascending order; 0 is not a number.
  public var numbers: ClosedRange<Int64> { max(1, first)...first + size - 1 }

  /// The display form, such as `+3316200024x`.
  public var text: String { "+\(first / size)" + String(repeating: "x", count: Int(digits)) }

  /// - Parameter text: digits with `x` in the place of the last one or two.
  public init?(_ text: String) {
    let plain = text.filter { !" -.()/".contains($0) }
    let digits = plain.drop { $0 == "+" }
    let trailing = digits.reversed().prefix { $0 == "x" || $0 == "X" }.count
    guard trailing == 1 || trailing == 2, digits.count <= 15, let head = Int64(digits.dropLast(trailing)), head > 0
    else { return nil }
    self.init(around: head * (trailing == 1 ? 10 : 100), digits: Int16(trailing))
  }
}
