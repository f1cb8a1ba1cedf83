// SPDX-License-Identifier: Apache-2.0

import Foundation

package enum Language: String, CaseIterable, Sendable {
  case german = "de"
  case english = "en"
  case spanish = "es"
  case french = "fr"
  case russian = "ru"

  /// The language's own name.
  package var name: String {
    switch self {
    case .german: "Deutsch"
    case .english: "English"
    case .spanish: "Español"
    case .french: "Français"
    case .russian: "Русский"
    }
  }

  /// The separator between groups of three digits, by CLDR.
  var groupSeparator: String {
    switch self {
    case .german, .spanish: "."
    case .english: ","
    case .french: "\u{202F}"
    case .russian: "\u{A0}"
    }
  }

  /// The fewest digits of an integer that are written in groups, by CLDR.
  var minGroupedDigits: Int {
    switch self {
    case .german, .english, .french, .russian: 4
    case .spanish: 5
    }
  }

  var decimalSeparator: String { self == .english ? "." : "," }

  /// The percent sign with its spacing.
  var percentSign: String { self == .english ? "%" : "\u{A0}%" }

  func dayOfMonth(_ day: Int) -> String { self == .french && day == 1 ? "1er" : "\(day)" }

  package var quotationMarks: (opening: String, closing: String) {
    switch self {
    case .german: ("„", "“")
    case .english, .spanish: ("“", "”")
    case .french: ("«\u{A0}", "\u{A0}»")
    case .russian: ("«", "»")
    }
  }

  /// Parses a typed figure: with a point or a comma before decimal places, with or without groups of three digits.
  package func figure(_ text: String) -> Double? {
    guard text.utf8.count <= 30 else { return nil }
    var plain = text.filter { !$0.isWhitespace }
    // A comma in English and a point in German and Spanish separate groups of three digits, except after a leading
    // zero: 0,123 has a decimal comma.
    let mark = groupSeparator
    let groups = plain.drop { $0 == "-" }.prefix { String($0) != decimalSeparator }
      .split(separator: mark, omittingEmptySubsequences: false)
    let isGrouped =
      groups.count > 1 && (1...3).contains(groups[0].count) && !groups[0].hasPrefix("0")
      && groups.dropFirst().allSatisfy { $0.utf8.count == 3 }
    if isGrouped { plain = plain.replacing(mark, with: "") }
    plain = plain.replacing(",", with: ".")
    guard plain.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }), let value = Double(plain),
      value.isFinite
    else { return nil }
    return value
  }

  /// The plural form for an integer, by CLDR's rules.
  package func form(of count: Int) -> PluralForm {
    let count = count.magnitude
    switch self {
    case .german, .english: return count == 1 ? .one : .other
    case .spanish, .french:
      if count == 1 || self == .french && count == 0 { return .one }
      return count > 0 && count.isMultiple(of: 1_000_000) ? .many : .other
    case .russian:
      switch (count % 10, count % 100) {
      case (_, 11...14): return .many
      case (1, _): return .one
      case (2...4, _): return .few
      default: return .many
      }
    }
  }

  /// The browser's preferred language among those available; English if none is.
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

/// CLDR's plural forms of integers in the supported languages.
package enum PluralForm: String, CaseIterable, Sendable {
  case one, few, many, other
}
