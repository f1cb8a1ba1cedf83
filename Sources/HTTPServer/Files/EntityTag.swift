// SPDX-License-Identifier: Apache-2.0

/// A validator of RFC 9110, section 8.8.3: `"…"`, or `W/"…"` for a weak one.
package struct EntityTag: Equatable {
  package let isWeak: Bool
  /// The text between the quotes.
  package let opaque: String

  package init(_ opaque: String, isWeak: Bool = false) {
    self.isWeak = isWeak
    self.opaque = opaque
  }

  /// The tag as a field's value.
  package var field: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

  /// Whether both are strong and equal.
  package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

  /// Whether both are equal, weak or strong.
  package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
}

/// The fields `If-Match` and `If-None-Match`: any tag, or a list of tags.
package enum EntityTagList: Equatable {
  case any
  case tags([EntityTag])

  /// - Parameter field: several fields joined by commas. A syntax error gives an empty list.
  package init(_ field: String) {
    var text = field.utf8[...]
    var tags: [EntityTag] = []
    Self.skip(&text)
    if text.elementsEqual("*".utf8) {
      self = .any
      return
    }
    while !text.isEmpty {
      guard let tag = Self.tag(&text) else {
        self = .tags([])
        return
      }
      tags.append(tag)
      Self.skipSpaces(&text)
      guard text.isEmpty || text.first == UInt8(ascii: ",") else {
        self = .tags([])
        return
      }
      Self.skip(&text)
    }
    self = .tags(tags)
  }

  package func contains(where isMatch: (EntityTag) -> Bool) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains(where: isMatch)
    }
  }

  private static func skipSpaces(_ text: inout Substring.UTF8View) {
    text = text.drop { $0 == 0x20 || $0 == 0x09 }
  }

  /// Spaces and commas: a list may have empty elements, and spaces at its end.
  private static func skip(_ text: inout Substring.UTF8View) {
    text = text.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
    while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
  }

  private static func tag(_ text: inout Substring.UTF8View) -> EntityTag? {
    let isWeak = text.starts(with: "W/".utf8)
    if isWeak { text = text.dropFirst(2) }
    guard text.first == UInt8(ascii: "\"") else { return nil }
    let rest = text.dropFirst()
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    defer { text = rest[end...].dropFirst() }
    // etagc: no space and no control character.
    guard rest[..<end].allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }) else { return nil }
    return EntityTag(String(Substring(rest[..<end])), isWeak: isWeak)
  }
}
