import Foundation

/// Everything that pages say, in every language: `Texts/LANGUAGE/AREA.json`, whose keys begin with `AREA.`.
struct Catalogue: Sendable {
  private let languages: [Language: Texts]

  subscript(language: Language) -> Texts { languages[language] ?? Texts(language: language, entries: [:]) }

  /// - Parameter folder: has a folder for each language.
  /// - Throws: ``CatalogueError``.
  init(folder: String) throws {
    var languages: [Language: Texts] = [:]
    for language in Language.allCases {
      let path = "\(folder)/\(language.rawValue)"
      let names = try? FileManager.default.contentsOfDirectory(atPath: path)
      guard let names, !names.isEmpty else { throw CatalogueError(file: path, problem: "is missing or empty") }
      var entries: [String: Texts.Entry] = [:]
      for name in names.sorted() where name.hasSuffix(".json") {
        entries.merge(try Self.read("\(path)/\(name)", area: String(name.dropLast(5)))) { _, new in new }
      }
      languages[language] = Texts(language: language, entries: entries)
    }
    self.languages = languages
  }

  private static func read(_ file: String, area: String) throws -> [String: Texts.Entry] {
    let values: [String: StoredEntry]
    do {
      values = try JSONDecoder().decode(
        [String: StoredEntry].self, from: try Data(contentsOf: URL(filePath: file)))
    } catch {
      throw CatalogueError(file: file, problem: "is not an object of texts, or of plural forms")
    }
    for key in values.keys where !key.hasPrefix("\(area).") {
      throw CatalogueError(file: file, problem: "has the key \(key), which does not begin with \(area).")
    }
    return values.mapValues(\.entry)
  }
}

/// A file of texts that cannot be used.
struct CatalogueError: Error, CustomStringConvertible {
  let file: String
  let problem: String

  var description: String { "\(file) \(problem)." }
}

private struct StoredEntry: Decodable {
  let entry: Texts.Entry

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      entry = .text(text)
      return
    }
    let forms = try container.decode([String: String].self)
    entry = .forms(
      Dictionary(
        uniqueKeysWithValues: try forms.map { name, text in
          guard let form = PluralForm(rawValue: name) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(name) is no plural form")
          }
          return (form, text)
        }))
  }
}
