// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The messages of all languages, from `Resources/Localization/LANGUAGE/AREA.json`. Keys begin with `AREA.`.
package struct MessageCatalog: Sendable {
  private let languages: [Language: Localizer]

  package subscript(language: Language) -> Localizer {
    languages[language] ?? Localizer(language: language, entries: [:])
  }

  /// - Parameter folder: has a folder for each language.
  /// - Throws: ``MessageCatalogError``.
  package init(folder: String) throws {
    var languages: [Language: Localizer] = [:]
    for language in Language.allCases {
      let path = "\(folder)/\(language.rawValue)"
      let names = try? FileManager.default.contentsOfDirectory(atPath: path)
      guard let names, !names.isEmpty else { throw MessageCatalogError(file: path, problem: "is missing or empty") }
      var entries: [String: Localizer.Entry] = [:]
      for name in names.sorted() where name.hasSuffix(".json") {
        entries.merge(try Self.read("\(path)/\(name)", area: String(name.dropLast(5)))) { _, new in new }
      }
      languages[language] = Localizer(language: language, entries: entries)
    }
    self.languages = languages
  }

  private static func read(_ file: String, area: String) throws -> [String: Localizer.Entry] {
    let values: [String: StoredEntry]
    do {
      values = try JSONDecoder().decode(
        [String: StoredEntry].self, from: try Data(contentsOf: URL(filePath: file)))
    } catch {
      throw MessageCatalogError(file: file, problem: "is not an object of texts, or of plural forms")
    }
    for key in values.keys where !key.hasPrefix("\(area).") {
      throw MessageCatalogError(file: file, problem: "has the key \(key), which does not begin with \(area).")
    }
    return values.mapValues(\.entry)
  }
}

package struct MessageCatalogError: Error, CustomStringConvertible {
  package let file: String
  package let problem: String

  package init(file: String, problem: String) {
    self.file = file
    self.problem = problem
  }

  package var description: String { "\(file) \(problem)." }
}

private struct StoredEntry: Decodable {
  let entry: Localizer.Entry

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
