// SPDX-License-Identifier: Apache-2.0

/// The range of the field `Range`, by RFC 9110, section 14.
enum HTTPRange: Equatable {
  /// No range, another unit, several ranges, or a syntax error. The complete file is sent.
  case whole
  /// Offsets into the file, never empty.
  case part(Range<Int>)
  /// The range is outside the file: 416.
  case notSatisfiable

  /// - Parameters:
  ///   - field: such as `bytes=0-499`, `bytes=500-` or `bytes=-500`; several fields joined by commas.
  ///   - length: of the file in bytes.
  init(_ field: String, length: Int) {
    self = Self.specification(in: field)?.applied(to: length) ?? .whole
  }

  private enum Specification {
    case from(Int, through: Int)
    case last(Int)

    func applied(to length: Int) -> HTTPRange {
      switch self {
      case .from(let first, let last):
        guard first < length else { return .notSatisfiable }
        return .part(first..<min(last, length - 1) + 1)
      case .last(0):
        return .notSatisfiable
      case .last(let count):
        // The suffix of an empty file is empty, which Content-Range cannot express.
        return length == 0 ? .whole : .part(max(0, length - count)..<length)
      }
    }
  }

  /// The only range of the field; nil for several and for a syntax error.
  private static func specification(in field: String) -> Specification? {
    guard let equals = field.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    guard field[..<equals].lowercased() == "bytes" else { return nil }
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    // A list may have empty elements.
    let elements = field[equals...].utf8.dropFirst().split(separator: UInt8(ascii: ",")).compactMap { element in
      let text = element.drop(while: isSpace)
      return text.isEmpty ? nil : text
    }
    guard elements.count == 1, var text = elements.first else { return nil }
    while let last = text.last, isSpace(last) { text.removeLast() }
    guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (before, after) = (text[..<dash], text[dash...].dropFirst())
    switch (before.isEmpty, after.isEmpty) {
    case (true, true): return nil
    case (true, false): return number(after).map { .last($0) }
    case (false, true): return number(before).map { .from($0, through: .max - 1) }
    case (false, false):
      guard let first = number(before), let last = number(after), first <= last else { return nil }
      return .from(first, through: min(last, .max - 1))
    }
  }

  /// Parses digits; a number beyond `Int` becomes its maximum.
  private static func number(_ text: Substring.UTF8View) -> Int? {
    var value = 0
    for byte in text {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (tenfold, isTooMuch) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooMuchNow) = tenfold.addingReportingOverflow(Int(byte) - 0x30)
      value = isTooMuch || isTooMuchNow ? .max : sum
    }
    return value
  }
}
