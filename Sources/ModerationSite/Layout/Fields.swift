// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import PhoneNumbers

/// Builds addresses with queries.
enum Query {
  /// Fields without a value are omitted.
  static func address(_ path: String, _ fields: KeyValuePairs<String, String>) -> String {
    let parts = fields.filter { !$0.value.isEmpty }.map { "\($0.key)=\(Form.escaped($0.value))" }
    return parts.isEmpty ? path : "\(path)?\(parts.joined(separator: "&"))"
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
  static let robots = HTTPField.Name("X-Robots-Tag")!
}

extension UUID {
  /// The identifier in addresses and forms.
  var text: String { uuidString.lowercased() }
}

extension TemplateRecord {
  static func choice(_ value: String, _ name: String, isChosen: Bool) -> TemplateRecord {
    ["value": value, "name": name, "isChosen": isChosen]
  }

  /// The categories that a complaint may have, as choices.
  static func categories(chosen: String?, _ texts: Localizer) -> [TemplateRecord] {
    ReportCategory.allCases.filter(\.isToxic).map {
      choice($0.slug, texts.category($0), isChosen: $0.slug == chosen)
    }
  }

  static func tile(_ name: String, _ figure: some BinaryInteger, _ texts: Localizer) -> TemplateRecord {
    ["name": texts(name), "figure": texts.number(figure)]
  }
}

/// The countries, sorted once by their names and the rules of each language.
struct CountryChoices: Sendable {
  private let sorted: ByLanguage<[(code: String, name: String)]>

  init(catalog: MessageCatalog) {
    sorted = ByLanguage { language in
      let texts = catalog[language]
      let all = PhoneRegion.all.map { (code: $0.code, name: "\(texts.country($0.code)) (+\($0.callingCode))") }
      let locale = Locale(identifier: language.rawValue)
      return all.sorted { $0.name.compare($1.name, locale: locale) == .orderedAscending }
    }
  }

  /// The country that an address or a form names; nil where it names none.
  /// - Throws: `Problem` where there is no such country.
  static func named(_ text: (some StringProtocol)?) throws -> String? {
    guard let text, !text.isEmpty else { return nil }
    guard let region = PhoneRegion(String(text)) else { throw Problem.notARegion(text) }
    return region.code
  }

  /// The countries as choices, such as `Germany (+49)`, for numbers in national format.
  func list(_ language: Language, chosen: String?) throws -> [TemplateRecord] {
    try sorted[language].map { .choice($0.code, $0.name, isChosen: $0.code == chosen) }
  }
}
