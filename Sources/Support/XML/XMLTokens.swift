// SPDX-License-Identifier: Apache-2.0

/// A source of the bytes of a document.
package protocol XMLByteSource {
  /// The next byte; nil at the end.
  mutating func next() throws -> UInt8?
}

/// A document that cannot be read.
package struct XMLFault: Error, Equatable {
  /// The reason, without a full stop.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// The start of an element.
package struct XMLTag: Sendable {
  /// The name as it is written, possibly with a prefix.
  package let name: String
  /// Attributes whose value can be read, in their order.
  package let attributes: [(name: String, value: String)]
  /// Whether the element ends with this tag.
  package let isEmpty: Bool

  package var localName: String { XMLText.localName(name) }

  fileprivate static func attributes(of tag: ArraySlice<UInt8>) -> [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    var rest = tag.drop { !isSpace($0) }
    while true {
      rest = rest.drop(while: isSpace)
      let name = rest.prefix { $0 != UInt8(ascii: "=") && !isSpace($0) }
      rest = rest.dropFirst(name.count).drop(while: isSpace)
      guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { return found }
      rest = rest.dropFirst().drop(while: isSpace)
      guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return found }
      let value = rest.dropFirst().prefix { $0 != quote }
      rest = rest.dropFirst(value.count + 2)
      if let text = XMLText.decoded(value) { found.append((String(decoding: name, as: UTF8.self), text)) }
    }
  }

  fileprivate static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}

/// Reads a document of UTF-8 piece by piece.
///
/// A document type is refused, so there are no entities but the five of XML and character references. Comments and
/// processing instructions are skipped. Memory is bounded by ``maxBytes`` and the greatest depth.
package struct XMLTokens<Source: XMLByteSource> {
  package enum Token {
    case start(XMLTag)
    /// The end of an element that is not empty, with its name.
    case end(String)
    /// Text; nil if it has an unknown reference.
    case text(String?)
  }

  /// The longest tag and the longest text in bytes.
  private static var maxBytes: Int { 1 << 16 }

  /// Whether text is returned; otherwise it is skipped.
  package var hasText = true
  private var source: Source
  private let maxDepth: Int
  /// The names of the open elements.
  private var open: [String] = []
  private var hasRoot = false
  /// A token that follows the returned text.
  private var waiting: Token?

  package init(_ source: Source, maxDepth: Int) {
    self.source = source
    self.maxDepth = maxDepth
  }

  /// - Throws: ``XMLFault``, and the errors of the source.
  package mutating func next() throws -> Token? {
    if let token = waiting {
      waiting = nil
      return token
    }
    var text: [UInt8] = []
    while let byte = try source.next() {
      guard byte == UInt8(ascii: "<") else {
        if open.isEmpty {
          let isMark = [0xEF, 0xBB, 0xBF].contains(byte)
          guard isMark || XMLTag.isSpace(byte) else { throw XMLFault(reason: "it is not XML") }
        } else if hasText {
          text.append(byte)
          guard text.count <= Self.maxBytes else { throw XMLFault(reason: "an element has too much text") }
        }
        continue
      }
      guard let token = try read() else { continue }
      guard !text.isEmpty else { return token }
      waiting = token
      return .text(XMLText.decoded(text))
    }
    guard hasRoot, open.isEmpty else { throw XMLFault(reason: "the document ends early") }
    return nil
  }

  /// Reads what begins with `<`.
  /// - Returns: nil for a comment or an instruction.
  private mutating func read() throws -> Token? {
    let tag = try readTag()
    switch tag.first {
    case UInt8(ascii: "?"): return nil
    case UInt8(ascii: "!"):
      guard tag.starts(with: "![CDATA[".utf8), !open.isEmpty, hasText else { return nil }
      return .text(String(decoding: tag.dropFirst(8).dropLast(2), as: UTF8.self))
    case UInt8(ascii: "/"):
      let name = String(decoding: tag.dropFirst().prefix { !XMLTag.isSpace($0) }, as: UTF8.self)
      guard open.popLast() == name else { throw XMLFault(reason: "an element ends that has not begun") }
      return .end(name)
    default:
      let isEmpty = tag.last == UInt8(ascii: "/")
      let content = isEmpty ? tag.dropLast() : tag[...]
      let name = String(decoding: content.prefix { !XMLTag.isSpace($0) }, as: UTF8.self)
      guard !name.isEmpty else { throw XMLFault(reason: "an element has no name") }
      guard !hasRoot || !open.isEmpty else { throw XMLFault(reason: "it has two documents") }
      hasRoot = true
      guard open.count < maxDepth else { throw XMLFault(reason: "elements are nested too deeply") }
      if !isEmpty { open.append(name) }
      return .start(XMLTag(name: name, attributes: XMLTag.attributes(of: content), isEmpty: isEmpty))
    }
  }

  /// Reads the bytes after `<` up to the end of the tag, comment or instruction.
  private mutating func readTag() throws -> [UInt8] {
    var tag: [UInt8] = []
    var quote: UInt8?
    while let byte = try source.next() {
      if let start = quote {
        if byte == start { quote = nil }
      } else if byte == UInt8(ascii: ">") {
        switch tag.first {
        case UInt8(ascii: "!"):
          if tag.starts(with: "![CDATA[".utf8) {
            if tag.suffix(2).elementsEqual("]]".utf8) { return tag }
          } else if tag.starts(with: "!--".utf8) {
            if tag.count >= 5, tag.suffix(2).elementsEqual("--".utf8) { return tag }
          } else {
            throw XMLFault(reason: "it has a document type")
          }
        case UInt8(ascii: "?"):
          if tag.last == UInt8(ascii: "?") { return tag }
        default: return tag
        }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), let first = tag.first,
        first != UInt8(ascii: "!"), first != UInt8(ascii: "?")
      {
        quote = byte
      }
      tag.append(byte)
      guard tag.count <= Self.maxBytes else { throw XMLFault(reason: "a tag is too long") }
    }
    throw XMLFault(reason: "the document ends early")
  }
}

extension XMLText {
  package static func localName(_ name: String) -> String {
    name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(name[name.index(after: $0)...]) } ?? name
  }

  /// The text of bytes in UTF-8 with references replaced; nil for an unknown reference.
  static func decoded(_ bytes: some Collection<UInt8>) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var out = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let start = rest.firstIndex(of: "&") {
      out.append(contentsOf: rest[..<start])
      guard let end = rest[start...].firstIndex(of: ";"),
        let character = character(of: Substring(rest[rest.index(after: start)..<end]))
      else { return nil }
      out.append(character)
      rest = rest[rest.index(after: end)...]
    }
    out.append(contentsOf: rest)
    return String(out)
  }

  /// The character of a reference, without `&` and `;`.
  private static func character(of name: Substring) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.first == "#" else { return nil }
      let digits = name.dropFirst()
      let value = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return value.flatMap(Unicode.Scalar.init)
    }
  }
}
