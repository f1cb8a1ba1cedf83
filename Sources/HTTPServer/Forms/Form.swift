// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The fields of a form, in the order sent.
package struct Form: Sendable {
  private let fields: [(name: String, value: String)]

  /// Maximum fields of a form.
  package static let limit = 2_000

  /// No fields.
  package init() { fields = [] }

  /// - Parameter encoded: `application/x-www-form-urlencoded` (WHATWG URL, 5.1); nil for another format or more than
  ///   ``limit`` fields.
  package init?(encoded: String) {
    var fields: [(String, String)] = []
    for part in encoded.utf8.split(separator: UInt8(ascii: "&")) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      guard fields.count < Self.limit, let key = Self.decode(name),
        let value = Self.decode(part.dropFirst(name.count + 1))
      else { return nil }
      fields.append((key, value))
    }
    self.fields = fields
  }

  /// The first field of this name; nil if there is none.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The trimmed first field of this name; nil if it is missing or empty.
  package func text(_ name: String) -> String? {
    guard let text = self[name]?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else { return nil }
    return text
  }

  /// All fields of this name.
  package func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  private static func decode(_ bytes: Substring.UTF8View.SubSequence) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+"): decoded.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(Self.digit), let low = rest.next().flatMap(Self.digit) else { return nil }
        decoded.append(high << 4 | low)
      default: decoded.append(byte)
      }
    }
    // PostgreSQL's type text cannot store NUL.
    guard !decoded.contains(0) else { return nil }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
