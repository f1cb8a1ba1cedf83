// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import PhoneNumbers

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
