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
