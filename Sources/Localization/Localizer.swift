// SPDX-License-Identifier: Apache-2.0

package import Curation
import Foundation

/// All messages in one language.
package struct Localizer: Sendable {
  package enum Entry: Sendable, Equatable {
    case text(String)
    case forms([PluralForm: String])
  }

  package let language: Language
  package let entries: [String: Entry]

  /// The text of a key, with `{name}` replaced by its value in `values`. A missing key is returned itself; a test
  /// reports it.
  package func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
    find(key, values) ?? key
  }

  /// The text of a key; nil if there is none.
  package func find(_ key: String, _ values: [String: String] = [:]) -> String? {
    guard case .text(let text) = entries[key] else { return nil }
    return Self.fill(text, values)
  }

  /// The text of a key in the plural form of a number, which replaces `{count}`.
  package func count(_ key: String, _ count: Int, _ values: [String: String] = [:]) -> String {
    guard case .forms(let forms) = entries[key] else { return key }
    let text = forms[language.form(of: count)] ?? forms[.other] ?? key
    return Self.fill(text, values.merging(["count": number(count)]) { _, ours in ours })
  }

  /// The name of a category.
  package func category(_ category: ReportCategory) -> String { self("category.\(category.slug)") }

  /// The name of a country.
  /// - Parameter code: ISO 3166-1 alpha-2; other text is returned unchanged.
  package func country(_ code: String) -> String { Self.countries[language]?[code] ?? code }

  /// Read from the locales once, because that takes longer than the rest of a table row.
  private static let countries: [Language: [String: String]] = Dictionary(
    uniqueKeysWithValues: Language.allCases.map { language in
      let locale = Locale(identifier: language.rawValue)
      let names = Locale.Region.isoRegions.compactMap { region in
        locale.localizedString(forRegionCode: region.identifier).map { (region.identifier, $0) }
      }
      return (language, Dictionary(names) { first, _ in first })
    })

  /// Replaces without a regular expression, which would be compiled at each use.
  private static func fill(_ text: String, _ values: [String: String]) -> String {
    guard !values.isEmpty else { return text }
    var (result, rest) = ("", text[...])
    while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")) {
      result += rest[..<open]
      rest = rest[open...]
      guard let close = rest.utf8.firstIndex(of: UInt8(ascii: "}")) else { break }
      let name = rest[rest.utf8.index(after: open)..<close]
      if let value = values[String(name)] {
        result += value
        rest = rest[rest.utf8.index(after: close)...]
      } else {
        result += "{"
        rest = rest[rest.utf8.index(after: open)...]
      }
    }
    return result + rest
  }
}
