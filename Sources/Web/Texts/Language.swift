import Foundation

/// A language that pages speak.
enum Language: String, CaseIterable, Sendable {
  case english = "en"
  case russian = "ru"

  /// Its name in itself.
  var name: String {
    switch self {
    case .english: "English"
    case .russian: "Русский"
    }
  }

  /// What stands between groups of three digits.
  var groupSeparator: String {
    switch self {
    case .english: ","
    case .russian: "\u{A0}"
    }
  }

  /// The form of a word that goes with a whole number, by CLDR's rules.
  func form(of count: Int) -> PluralForm {
    let count = count.magnitude
    switch self {
    case .english: return count == 1 ? .one : .other
    case .russian:
      switch (count % 10, count % 100) {
      case (_, 11...14): return .many
      case (1, _): return .one
      case (2...4, _): return .few
      default: return .many
      }
    }
  }

  /// The language a browser likes best, of those there are; English for none.
  /// - Parameter header: `Accept-Language` (RFC 9110, 12.5.4).
  init(accepting header: String?) {
    let wishes = (header ?? "").prefix(512).split(separator: ",").compactMap { item -> (Language, Double)? in
      let parts = item.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
      guard let tag = parts.first?.prefix(while: { $0 != "-" }), let language = Language(rawValue: String(tag))
      else { return nil }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      return quality > 0 ? (language, quality) : nil
    }
    self = wishes.enumerated().max { ($0.element.1, -$0.offset) < ($1.element.1, -$1.offset) }?.element.0 ?? .english
  }
}

/// The forms that CLDR has for whole numbers in our languages.
enum PluralForm: String, CaseIterable, Sendable {
  case one, few, many, other
}
