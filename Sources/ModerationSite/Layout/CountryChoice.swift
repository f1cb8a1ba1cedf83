import Localization
import PhoneNumbers

/// A country in the list that a form offers for numbers in their national form.
struct CountryChoice: Encodable {
  let code: String
  /// `Germany (+49)`.
  let name: String
  let isChosen: Bool
}

/// The countries by their names in each language, sorted once.
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

  func list(_ language: Language, chosen: String?) -> [CountryChoice] {
    (sorted[language] ?? []).map { CountryChoice(code: $0.code, name: $0.name, isChosen: $0.code == chosen) }
  }
}
