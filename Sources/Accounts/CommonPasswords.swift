// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The passwords that attackers try first, as the words and keyboard rows that they consist of.
///
/// A password is divided into as few pieces as possible: a listed word, with letters or with digits and signs in their place; a
/// word of the account's name; a part of a row, forwards or backwards; one character repeated; a year; or any single
/// character. A text that repeats itself is one piece more than the part that it repeats.
public struct CommonPasswords: Sendable {
  /// A password of this many pieces or fewer is common.
  static let maxPieces = 3

  /// The longest piece, in characters.
  private static let maxLength = 20

  private let words: Set<String>
  private let rows: [String]

  /// Reads a list: lines of words, lines of rows that begin with `row`, and comments that begin with `#`.
  /// - Throws: an error of Foundation if the file cannot be read.
  public init(contentsOf file: URL) throws {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
    words = Set(lines.filter { $0[0] != "row" }.joined().map(String.init))
    rows = lines.filter { $0[0] == "row" }.flatMap { $0.dropFirst() }.flatMap { [String($0), String($0.reversed())] }
  }

  /// - Parameter name: the account's name.
  func contains(_ password: String, name: String) -> Bool {
    let typed = Self.letters(password)
    let words = words.union(name.split(separator: " ").map { String(Self.letters($0)) })
    return pieces(typed, words) <= Self.maxPieces
  }

  /// The smallest number of pieces of a text, or a number above ``maxPieces``.
  private func pieces(_ text: [Character], _ words: Set<String>) -> Int {
    let period = text.indices.dropFirst().first { period in
      2 * period <= text.count && text.dropFirst(period).elementsEqual(text.dropLast(period))
    }
    if let period { return 1 + pieces(Array(text[..<period]), words) }
    guard text.count <= Self.maxPieces * Self.maxLength else { return text.count }
    // The smallest number for each beginning of the text.
    var counts = [0]
    for end in text.indices.map({ $0 + 1 }) {
      var count = counts[end - 1] + 1
      for start in max(0, end - Self.maxLength)..<end where counts[start] + 1 < count {
        if isPiece(Array(text[start..<end]), words) { count = counts[start] + 1 }
      }
      counts.append(count)
    }
    return counts[text.count]
  }

  private func isPiece(_ text: [Character], _ words: Set<String>) -> Bool {
    guard text.count > 2 else { return false }
    let string = String(text)
    return Set(text).count == 1 || words.contains(string)
      || words.contains(String(text.map { Self.replaced[$0] ?? $0 })) || rows.contains { $0.contains(string) }
      || text.count == 4 && Int(string).map { (1900...2099).contains($0) } == true
  }

  /// The characters of a password or a name without capitals and separators.
  private static func letters(_ text: some StringProtocol) -> [Character] {
    Array(text.precomposedStringWithCompatibilityMapping.lowercased().filter { !" -_.".contains($0) })
  }

  /// Letters by the digits and signs that replace them.
  private static let replaced: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
  ]
}
