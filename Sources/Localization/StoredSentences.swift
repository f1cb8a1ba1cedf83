/// Sentences that are stored in English, in the words of the reader: the English catalog has each of them under the same
/// beginning of a key, so what stands in the place of its `{name}`s can be put into another language's text.
package struct StoredSentences {
  private let sentences: [(key: String, pieces: [String], names: [String])]
  private let texts: Localizer

  private static let counted: Set = [
    "entries", "bytes", "former", "formerBytes", "least", "greatest", "added", "removed", "most",
  ]

  /// - Parameter area: what the keys begin with.
  package init(_ area: String, english: Localizer, _ texts: Localizer) {
    self.texts = texts
    sentences = english.entries.compactMap { key, entry in
      guard key.hasPrefix(area), case .text(let text) = entry else { return nil }
      return (
        key, text.split(separator: /\{[A-Za-z]+\}/, omittingEmptySubsequences: false).map(String.init),
        text.matches(of: /\{([A-Za-z]+)\}/).map { String($0.1) }
      )
    }.sorted { ($0.pieces.joined().count, $1.key) > ($1.pieces.joined().count, $0.key) }
  }

  /// The reader's words; nil for a sentence that is not in the catalog.
  package func callAsFunction(_ sentence: String) -> String? {
    for (key, pieces, names) in sentences {
      guard let values = Self.values(pieces, names, in: sentence) else { continue }
      return texts(key, Dictionary(uniqueKeysWithValues: values.map { ($0, shown($0, $1)) }))
    }
    return nil
  }

  /// What is counted is written as the reader's figures are; other digits are telephone numbers and names.
  private func shown(_ name: String, _ value: String) -> String {
    guard Self.counted.contains(name) else { return value }
    if value.hasSuffix(" %") { return value.dropLast(2) + texts.language.percentSign }
    return Int64(value).map(texts.number) ?? value
  }

  /// What stands between the pieces; nil where the sentence is not made of them.
  private static func values(_ pieces: [String], _ names: [String], in sentence: String) -> [String: String]? {
    guard let first = pieces.first, let last = pieces.last, sentence.hasPrefix(first) else { return nil }
    var (rest, values) = (sentence.dropFirst(first.count), [String: String]())
    for (name, piece) in zip(names, pieces.dropFirst()) {
      if piece.isEmpty {
        (values[name], rest) = (String(rest), "")
      } else {
        guard let range = rest.firstRange(of: piece) else { return nil }
        (values[name], rest) = (String(rest[..<range.lowerBound]), rest[range.upperBound...])
      }
    }
    return rest.isEmpty && sentence.hasSuffix(last) ? values : nil
  }
}
