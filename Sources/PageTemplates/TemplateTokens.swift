// SPDX-License-Identifier: Apache-2.0

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
