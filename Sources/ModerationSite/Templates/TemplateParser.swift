// SPDX-License-Identifier: Apache-2.0

/// Parses the part of Mustache that pages use: variables, sections, inverted sections, comments, partials and
/// inheritance (https://mustache.github.io/mustache.5.html), and our own `empty(NAME)`.
struct TemplateParser {
  private let tokens: [TemplateTokens.Token]
  private var next = 0

  /// - Throws: `TemplateError` with the line.
  static func parse(_ text: String) throws(TemplateError) -> [TemplateNode] {
    var parser = TemplateParser(tokens: try TemplateTokens(text).tokens)
    return try parser.nodes(until: nil)
  }

  private init(tokens: [TemplateTokens.Token]) {
    self.tokens = tokens
  }

  /// - Parameter opening: the tag to close; nil for the complete template.
  private mutating func nodes(until opening: TemplateTokens.Tag?) throws(TemplateError) -> [TemplateNode] {
    var nodes: [TemplateNode] = []
    while next < tokens.count {
      let token = tokens[next]
      next += 1
      switch token {
      case .text(let text): if !text.isEmpty { nodes.append(.text(text)) }
      case .tag(let tag) where tag.kind == "/":
        guard let opening, opening.name == tag.name else {
          throw TemplateError(line: tag.line, problem: "{{/\(tag.name)}} closes what is not open")
        }
        return nodes
      case .tag(let tag): if let node = try node(tag) { nodes.append(node) }
      }
    }
    if let opening { throw TemplateError(line: opening.line, problem: "\(opening.name) is not closed") }
    return nodes
  }

  private mutating func node(_ tag: TemplateTokens.Tag) throws(TemplateError) -> TemplateNode? {
    switch tag.kind {
    case "#", "^": return .section(try name(tag), isInverted: tag.kind == "^", try nodes(until: tag))
    case "$": return .block(try plain(tag), try nodes(until: tag))
    case "<": return .parent(try plain(tag), blocks: Self.blocks(try nodes(until: tag)))
    case ">": return .partial(try plain(tag))
    case "!": return nil
    default:
      let name = try name(tag)
      guard !name.asksIfEmpty else {
        throw TemplateError(line: tag.line, problem: "\(tag.name) is for sections")
      }
      return .variable(name)
    }
  }

  private func name(_ tag: TemplateTokens.Tag) throws(TemplateError) -> TemplateName {
    guard let name = TemplateName(tag.name) else {
      throw TemplateError(line: tag.line, problem: "\(tag.name) is no name")
    }
    return name
  }

  /// The name of a template or a block.
  private func plain(_ tag: TemplateTokens.Tag) throws(TemplateError) -> String {
    guard !tag.name.isEmpty, tag.name.utf8.allSatisfy({ TemplateName.isAllowed($0) }) else {
      throw TemplateError(line: tag.line, problem: "\(tag.name) is no name of a template or a block")
    }
    return String(tag.name)
  }

  private static func blocks(_ nodes: [TemplateNode]) -> [String: [TemplateNode]] {
    var blocks: [String: [TemplateNode]] = [:]
    for case .block(let name, let content) in nodes { blocks[name] = content }
    return blocks
  }
}

/// A template divided into text and tags.
struct TemplateTokens {
  struct Tag {
    /// `#`, `^`, `/`, `<`, `$`, `>`, `!`, or nil for a variable.
    let kind: Character?
    let name: Substring
    /// From 1.
    let line: Int
  }

  enum Token {
    case text(Substring)
    case tag(Tag)
  }

  private(set) var tokens: [Token] = []

  /// - Throws: `TemplateError` for an unclosed tag, and for unsupported kinds: delimiters and unescaped values.
  init(_ text: String) throws(TemplateError) {
    var rest = text[...]
    var line = 1
    while let start = rest.firstRange(of: "{{") {
      let before = rest[..<start.lowerBound]
      if !before.isEmpty { tokens.append(.text(before)) }
      line += before.count { $0.isNewline }
      guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
        throw TemplateError(line: line, problem: "a tag does not end with }}")
      }
      var content = rest[start.upperBound..<end.lowerBound]
      let first = content.first
      if let first, "{&=".contains(first) {
        throw TemplateError(line: line, problem: "{{\(first) is not known here: every value is escaped")
      }
      let kind = first.flatMap { "#^/<$>!".contains($0) ? $0 : nil }
      if kind != nil { content = content.dropFirst() }
      tokens.append(.tag(Tag(kind: kind, name: Self.trimmed(content), line: line)))
      line += content.count { $0.isNewline }
      rest = rest[end.upperBound...]
    }
    if !rest.isEmpty { tokens.append(.text(rest)) }
    dropLines()
  }

  /// Removes the line of a tag that has its own line and no output, as Mustache requires.
  private mutating func dropLines() {
    let alone = tokens.indices.filter { standsAlone($0) }
    for index in alone {
      if index > 0, case .text(let text) = tokens[index - 1] {
        let kept = text.lastIndex(where: \.isNewline).map { text[...$0] } ?? text.prefix(0)
        tokens[index - 1] = .text(kept)
      }
      if index + 1 < tokens.count, case .text(let text) = tokens[index + 1] {
        let kept = text.firstIndex(where: \.isNewline).map { text[text.index(after: $0)...] } ?? text.suffix(0)
        tokens[index + 1] = .text(kept)
      }
    }
  }

  private func standsAlone(_ index: Int) -> Bool {
    guard case .tag(let tag) = tokens[index], tag.kind != nil else { return false }
    return (index == 0 || endsLine(before: index)) && (index == tokens.count - 1 || beginsLine(after: index))
  }

  private func endsLine(before index: Int) -> Bool {
    guard case .text(let text) = tokens[index - 1] else { return false }
    let last = text.lastIndex(where: \.isNewline)
    guard last != nil || index == 1 else { return false }
    return text[(last.map { text.index(after: $0) } ?? text.startIndex)...].allSatisfy(\.isWhitespace)
  }

  private func beginsLine(after index: Int) -> Bool {
    guard case .text(let text) = tokens[index + 1] else { return false }
    let first = text.firstIndex(where: \.isNewline)
    guard first != nil || index + 2 == tokens.count else { return false }
    return text[..<(first ?? text.endIndex)].allSatisfy(\.isWhitespace)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

/// A parsed template, in which partials and parents are still names.
indirect enum TemplateNode: Sendable, Equatable {
  case text(Substring)
  /// `{{name}}`
  case variable(TemplateName)
  /// `{{#name}}…{{/name}}`, or with `^` instead of `#` if it is inverted.
  case section(TemplateName, isInverted: Bool, [TemplateNode])
  /// `{{>name}}`
  case partial(String)
  /// `{{<name}}…{{/name}}`; only its blocks are used.
  case parent(String, blocks: [String: [TemplateNode]])
  /// `{{$name}}…{{/name}}`: the default content of a block, which inheriting templates may replace.
  case block(String, [TemplateNode])
}

/// A name in a tag: `number`, `frame.csrf`, `.` for the section's value, or `empty(rows)`.
struct TemplateName: Sendable, Equatable {
  /// The first component is looked up from the innermost record outwards, the others in its value; empty for `.`.
  let path: [String]
  /// Whether the tag tests for an empty value; a missing value does not pass the test.
  let asksIfEmpty: Bool

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

package struct TemplateError: Error, CustomStringConvertible, Equatable {
  /// From 1; nil if the error concerns the complete template.
  package let line: Int?
  package let problem: String

  package var description: String { line.map { "line \($0): \(problem)" } ?? problem }
}
