// SPDX-License-Identifier: Apache-2.0

import Curation
import Support

/// Rows of an XML file: an attribute, or the text, of each element of a name. Prefixes of names are ignored.
struct XMLRows: SourceFileRows {
  private static let maxDepth = 64
  /// The longest text of an element in bytes.
  private static let maxBytes = 1 << 16

  let version: Int64? = nil
  let line: Int? = nil
  private var tokens: XMLTokens<SourceBytes>
  private let element: String
  private let attribute: String?
  private let category: String?
  /// The element that is being read, without text after an unknown reference; nil outside of one.
  private var row: (text: String?, category: String?)?

  /// - Parameters:
  ///   - element: the element's name.
  ///   - attribute: the attribute with the number; nil for the element's text.
  ///   - category: the attribute with the category; nil for none.
  /// - Throws: ``ImportFileError``.
  init(_ file: FileBytes, element: String, attribute: String?, category: String?) {
    tokens = XMLTokens(SourceBytes(file), maxDepth: Self.maxDepth)
    tokens.hasText = false
    self.element = element
    self.attribute = attribute
    self.category = category
  }

  mutating func next() throws -> SourceFileRow.Outcome? {
    do {
      while let token = try tokens.next() {
        if let row = try read(token) { return row }
      }
      return nil
    } catch let fault as XMLFault {
      throw SourceFailure.unreadable(fault.reason)
    }
  }

  /// - Returns: the row that ends with a token.
  private mutating func read(_ token: XMLTokens<SourceBytes>.Token) throws -> SourceFileRow.Outcome? {
    switch token {
    case .text(let more):
      guard let (known, category) = row else { return nil }
      let text = known.flatMap { known in more.map { known + $0 } }
      guard (text?.utf8.count ?? 0) <= Self.maxBytes else {
        throw SourceFailure.unreadable("an element has too much text")
      }
      row = (text, category)
      return nil
    case .end(let name):
      guard let row, XMLText.localName(name) == element else { return nil }
      (self.row, tokens.hasText) = (nil, false)
      return row.text.map { .row(SourceFileRow(number: $0.trimmingSpace, category: row.category)) }
        ?? .rejected(.badField, text: "<\(element)>")
    case .start(let tag):
      guard tag.localName == element else { return nil }
      let kind = category.flatMap { value($0, of: tag) }
      guard let attribute else {
        guard !tag.isEmpty else { return .rejected(.emptyNumber, text: "<\(element)>") }
        (row, tokens.hasText) = (("", kind), true)
        return nil
      }
      // A number that has left the list has no votes.
      if value("votes", of: tag) == "0" { return .ignored }
      return value(attribute, of: tag).map { .row(SourceFileRow(number: $0, category: kind)) }
        ?? .rejected(.missingField, text: "<\(element)>")
    }
  }

  private func value(_ attribute: String, of tag: XMLTag) -> String? {
    tag.attributes.last { XMLText.localName($0.name) == attribute }?.value.trimmingSpace
  }
}

extension SourceBytes: XMLByteSource {}

extension String {
  fileprivate var trimmingSpace: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
