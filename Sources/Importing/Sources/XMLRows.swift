// SPDX-License-Identifier: Apache-2.0

import Curation

/// Rows of an XML file: an attribute, or the text, of each element of a name. Prefixes of names are ignored.
///
/// Only tags, their attributes and text are read. A document type is refused, so there are no entities but the five of
/// XML and character references. Memory is bounded by ``mostBytes``.
struct XMLRows: FeedRows {
  /// The longest tag, and the deepest nesting.
  private static let mostBytes = 1 << 16
  private static let mostDepth = 64
  private static let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

  let version: Int64? = nil
  private let bytes: FeedBytes
  private let element: String
  private let attribute: String?
  private let category: String?
  private var depth = 0
  private var hasRoot = false
  /// The text of the element that is being read; nil outside of one.
  private var text: [UInt8]?
  private var textCategory: String?

  /// - Parameters:
  ///   - element: the element's name.
  ///   - attribute: the attribute with the number; nil for the element's text.
  ///   - category: the attribute with the category; nil for none.
  /// - Throws: ``ImportFileError``.
  init(path: String, element: String, attribute: String?, category: String?) throws {
    bytes = try FeedBytes(path: path)
    self.element = element
    self.attribute = attribute
    self.category = category
  }

  mutating func next() throws -> FeedRow.Outcome? {
    while let byte = try bytes.next() {
      guard byte == UInt8(ascii: "<") else {
        if text != nil {
          try append(byte)
        } else if depth == 0, !Self.space.contains(byte), ![0xEF, 0xBB, 0xBF].contains(byte) {
          throw FeedFailure.unreadable("the file is not XML")
        }
        continue
      }
      let tag = try readTag()
      switch tag.first {
      case UInt8(ascii: "!"), UInt8(ascii: "?"): continue
      case UInt8(ascii: "/"):
        depth -= 1
        guard depth >= 0 else { throw FeedFailure.unreadable("an element ends that has not begun") }
        guard let text, Self.localName(tag.dropFirst()) == element else { continue }
        self.text = nil
        return Self.decoded(text).map { .row(FeedRow(number: $0, category: textCategory)) } ?? .rejected
      default:
        if let row = try open(tag) { return row }
      }
    }
    guard hasRoot, depth == 0 else { throw FeedFailure.unreadable("the document ends early") }
    return nil
  }

  /// Handles the start of an element.
  /// - Returns: the row of an element with the attribute.
  private mutating func open(_ tag: [UInt8]) throws -> FeedRow.Outcome? {
    let isEmpty = tag.last == UInt8(ascii: "/")
    let content = isEmpty ? tag.dropLast() : tag[...]
    hasRoot = true
    if !isEmpty {
      depth += 1
      guard depth <= Self.mostDepth else { throw FeedFailure.unreadable("elements are nested too deeply") }
    }
    guard Self.localName(content) == element else { return nil }
    let attributes = Self.attributes(of: content)
    let kind = category.flatMap { attributes[$0] }
    guard let attribute else {
      guard !isEmpty else { return .rejected }
      (text, textCategory) = ([], kind)
      return nil
    }
    return attributes[attribute].map { .row(FeedRow(number: $0, category: kind)) } ?? .rejected
  }

  private mutating func append(_ byte: UInt8) throws(FeedFailure) {
    text?.append(byte)
    guard (text?.count ?? 0) <= Self.mostBytes else { throw .unreadable("an element has too much text") }
  }

  /// Reads the bytes of a tag after `<` up to its end; those of comments and of CDATA are skipped or appended to the
  /// text.
  private mutating func readTag() throws -> [UInt8] {
    var tag: [UInt8] = []
    var quote: UInt8?
    while let byte = try bytes.next() {
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: ">") {
        switch tag.first {
        case UInt8(ascii: "!"):
          if tag.starts(with: Array("![CDATA[".utf8)) {
            guard tag.suffix(2) == Array("]]".utf8)[...] else { break }
            if text != nil { for byte in tag.dropFirst(8).dropLast(2) { try append(byte) } }
            return tag
          }
          guard tag.starts(with: Array("!--".utf8)) else { throw FeedFailure.unreadable("it has a document type") }
          guard tag.count >= 5, tag.suffix(2) == Array("--".utf8)[...] else { break }
          return tag
        case UInt8(ascii: "?"):
          guard tag.last == UInt8(ascii: "?") else { break }
          return tag
        default: return tag
        }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), let first = tag.first,
        first != UInt8(ascii: "!"), first != UInt8(ascii: "?")
      {
        quote = byte
      }
      tag.append(byte)
      guard tag.count <= Self.mostBytes else { throw FeedFailure.unreadable("a tag is too long") }
    }
    throw FeedFailure.unreadable("the document ends early")
  }

  private static func localName(_ tag: some Collection<UInt8>) -> String {
    let name = tag.prefix { !space.contains($0) }
    let local = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).last
    return local.map { String(decoding: Array($0), as: UTF8.self) } ?? ""
  }

  /// The attributes of a tag by name; without those whose value cannot be decoded.
  private static func attributes(of tag: ArraySlice<UInt8>) -> [String: String] {
    var found: [String: String] = [:]
    var rest = tag.drop { !space.contains($0) }
    while true {
      rest = rest.drop { space.contains($0) }
      let name = rest.prefix { $0 != UInt8(ascii: "=") && !space.contains($0) }
      rest = rest.dropFirst(name.count).drop { space.contains($0) }
      guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { return found }
      rest = rest.dropFirst().drop { space.contains($0) }
      guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return found }
      let value = rest.dropFirst().prefix { $0 != quote }
      rest = rest.dropFirst(value.count + 2)
      if let text = decoded(Array(value)) { found[localName(name)] = text }
    }
  }

  /// The text with its references replaced; nil for one that is not known.
  private static func decoded(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains("&") else { return text.trimmingSpace }
    var out = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      out += rest[..<start]
      guard let end = rest[start...].firstIndex(of: ";") else { return nil }
      let name = rest[rest.index(after: start)..<end]
      switch name {
      case "amp": out += "&"
      case "lt": out += "<"
      case "gt": out += ">"
      case "quot": out += "\""
      case "apos": out += "'"
      default:
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let value = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let scalar = value.flatMap(Unicode.Scalar.init) else { return nil }
        out.unicodeScalars.append(scalar)
      }
      rest = rest[rest.index(after: end)...]
    }
    return (out + rest).trimmingSpace
  }
}

extension String {
  /// The text without spaces and line ends around it.
  fileprivate var trimmingSpace: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
