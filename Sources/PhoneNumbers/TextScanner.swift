// SPDX-License-Identifier: Apache-2.0

/// Reads a text from its beginning, part by part. Regular expressions of the standard library need iOS 16, and take a hundred
/// times as long.
struct TextScanner {
  /// The text that is not read yet.
  private(set) var rest: Substring

  init(_ text: some StringProtocol) { rest = Substring(text) }

  /// Whether everything is read.
  var isAtEnd: Bool { rest.isEmpty }

  /// Takes the longest run of digits; nil, with nothing taken, where it has another length.
  mutating func digits(_ lengths: some RangeExpression<Int>) -> Substring? {
    let run = rest.prefix(while: Self.isDigit)
    guard lengths.contains(run.count) else { return nil }
    rest = rest[run.endIndex...]
    return run
  }

  /// Takes one of the characters; nil where a different one follows.
  mutating func take(_ characters: String) -> Character? {
    guard let first = rest.first, characters.contains(first) else { return nil }
    rest.removeFirst()
    return first
  }

  /// Takes a text in lower case, of either case.
  mutating func take(word: String) -> Bool {
    let found = rest.prefix(word.count)
    guard found.count == word.count, found.lowercased() == word else { return false }
    rest = rest[found.endIndex...]
    return true
  }

  /// Takes white space, if there is some.
  /// - Parameter most: the most characters.
  /// - Returns: whether there was some.
  @discardableResult
  mutating func space(atMost most: Int = .max) -> Bool {
    let run = rest.prefix(while: \.isWhitespace).prefix(most)
    rest = rest[run.endIndex...]
    return !run.isEmpty
  }

  /// Whether a character is one of 0 to 9.
  static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

  /// The texts within parentheses that have no others within them.
  static func parentheses(in text: some StringProtocol, _ signs: (Character, Character) = ("(", ")")) -> [Substring] {
    var (found, rest) = ([Substring](), Substring(text))
    while let open = rest.firstIndex(of: signs.0) {
      rest = rest[rest.index(after: open)...]
      let inner = rest.prefix { $0 != signs.0 && $0 != signs.1 }
      if inner.endIndex < rest.endIndex, rest[inner.endIndex] == signs.1 { found.append(inner) }
      rest = rest[inner.endIndex...]
    }
    return found
  }

  /// A text with a different one in the place of each occurrence of a part.
  static func replacing(_ part: String, by other: String, in text: some StringProtocol) -> String {
    var (result, rest) = ("", Substring(text))
    while let index = rest.indices.first(where: { rest[$0...].hasPrefix(part) }) {
      result += rest[..<index] + other
      rest = rest[index...].dropFirst(part.count)
    }
    return result + rest
  }
}
