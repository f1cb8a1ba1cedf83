// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import PhoneNumbers

/// Builds addresses with queries.
enum Query {
  /// A path with query fields; fields without a value are omitted.
  static func address(_ path: String, _ fields: KeyValuePairs<String, String>) -> String {
    let parts = fields.filter { !$0.value.isEmpty }.map { "\($0.key)=\(encoded($0.value))" }
    return parts.isEmpty ? path : "\(path)?\(parts.joined(separator: "&"))"
  }

  private static func encoded(_ value: String) -> String {
    value.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "-._~").union(.alphanumerics)) ?? ""
  }
}

extension Request {
  /// A trimmed query field; empty if it is missing or longer than 400 bytes.
  func query(_ name: String) -> String {
    let text = uri.queryParameters[Substring(name)].map(String.init) ?? ""
    return text.utf8.count <= 400 ? text.trimmingCharacters(in: .whitespacesAndNewlines) : ""
  }
}

extension HTTPField.Name {
  /// Instructions for search engines.
  static let robots = HTTPField.Name("X-Robots-Tag")!
}

/// A country in a form's list, for numbers in national format.
struct CountryChoice: Encodable {
  let code: String
  /// `Germany (+49)`.
  let name: String
  let isChosen: Bool
}

/// The countries, sorted once by their names in each language.
struct CountryChoices: Sendable {
  private let sorted: [Language: [(code: String, name: String)]]

  init(catalog: MessageCatalog) {
    sorted = Dictionary(
      uniqueKeysWithValues: Language.allCases.map { language in
        let texts = catalog[language]
        let all = PhoneRegion.all.map { (code: $0.code, name: "\(texts.country($0.code)) (+\($0.callingCode))") }
        return (language, all.sorted { $0.name < $1.name })
      })
  }

  /// The country that an address or a form names; nil where it names none.
  /// - Throws: `Problem` where there is no such country.
  static func named(_ text: (some StringProtocol)?) throws -> String? {
    guard let text, !text.isEmpty else { return nil }
    guard let region = PhoneRegion(String(text)) else { throw Problem.notARegion(text) }
    return region.code
  }

  func list(_ language: Language, chosen: String?) -> [CountryChoice] {
    (sorted[language] ?? []).map { CountryChoice(code: $0.code, name: $0.name, isChosen: $0.code == chosen) }
  }
}
