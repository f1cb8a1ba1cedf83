/// Sentences that are stored in English, in the words of the reader: the English catalogue has each of them under the same
/// beginning of a key, so what stands in the place of its `{name}`s can be put into another language's text.
struct StoredSentences {
  private let sentences: [(key: String, pieces: [String], names: [String])]
  private let texts: Texts

  /// - Parameter area: what the keys begin with.
  init(_ area: String, english: Texts, _ texts: Texts) {
    self.texts = texts
    sentences = english.entries.compactMap { key, entry in
      guard key.hasPrefix(area), case .text(let text) = entry else { return nil }
      return (
        key, text.split(separator: /\{[A-Za-z]+\}/, omittingEmptySubsequences: false).map(String.init),
        text.matches(of: /\{([A-Za-z]+)\}/).map { String($0.1) }
      )
    }.sorted { ($0.pieces.joined().count, $1.key) > ($1.pieces.joined().count, $0.key) }
  }

  /// The reader's words; nil for a sentence that is not in the catalogue.
  func callAsFunction(_ sentence: String) -> String? {
    for (key, pieces, names) in sentences {
      if let values = Self.values(pieces, names, in: sentence) { return texts(key, values) }
    }
    return nil
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
