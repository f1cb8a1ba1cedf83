// SPDX-License-Identifier: Apache-2.0

/// A name in a tag: `number`, `frame.csrf`, `.` for the section's value, or `empty(rows)`.
struct TemplateName: Sendable, Equatable {
  /// The first component is looked up from the innermost record outwards, the others in its value; empty for `.`.
  let path: [String]
  /// Whether the tag tests for an empty value; a missing value does not pass the test.
  let asksIfEmpty: Bool

  /// Nil for an invalid name.
  init?(_ text: Substring) {
    var text = text
    asksIfEmpty = text.hasPrefix("empty(") && text.hasSuffix(")")
    if asksIfEmpty { text = text.dropFirst("empty(".count).dropLast() }
    if text == "." {
      path = []
      return
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isName = parts.allSatisfy { part in
      part.first?.isLetter == true && part.utf8.allSatisfy { Self.isAllowed($0) }
    }
    guard isName else { return nil }
    path = parts.map(String.init)
  }

  static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
