import Foundation

/// A language of pages, answers and messages.
package enum Language: String, CaseIterable, Sendable {
  case english = "en"
  case russian = "ru"

  /// The name of the language in itself.
  package var name: String {
    switch self {
    case .english: "English"
    case .russian: "Русский"
    }
  }

  /// The separator of groups of three digits.
  package var groupSeparator: String {
    switch self {
    case .english: ","
    case .russian: "\u{A0}"
    }
  }

  /// The separator before decimal places.
  package var decimalSeparator: String {
    switch self {
    case .english: "."
    case .russian: ","
    }
  }

  /// The percent sign with the space before it.
  package var percentSign: String {
    switch self {
    case .english: "%"
    case .russian: "\u{A0}%"
    }
  }

  /// Reads a number that was typed: with a point or a comma before decimal places, with groups of three digits or without.
  /// - Returns: nil for what is none.
  package func figure(_ text: String) -> Double? {
    guard text.utf8.count <= 30 else { return nil }
    var plain = text.filter { !$0.isWhitespace }
    // Of a comma only English people mean thousands, and not before a nought: 1,000 is no 1.000.
    let groups = plain.drop { $0 == "-" }.prefix { $0 != "." }.split(separator: ",", omittingEmptySubsequences: false)
    let isGrouped =
      self == .english && groups.count > 1 && (1...3).contains(groups[0].count) && !groups[0].hasPrefix("0")
      && groups.dropFirst().allSatisfy { $0.utf8.count == 3 }
    plain = plain.replacing(",", with: isGrouped ? "" : ".")
    guard plain.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }), let value = Double(plain),
      value.isFinite
    else { return nil }
    return value
  }

  /// The form of a word that goes with a whole number, by CLDR's rules.
  package func form(of count: Int) -> PluralForm {
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
  package init(accepting header: String?) {
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
package enum PluralForm: String, CaseIterable, Sendable {
  case one, few, many, other
}
