import Curation
import Foundation

/// Everything that pages say, in one language.
struct Texts: Sendable {
  enum Entry: Sendable, Equatable {
    case text(String)
    case forms([PluralForm: String])
  }

  let language: Language
  let entries: [String: Entry]

  /// The text of a key, with `{name}` replaced by what `values` has for it. A key that is not there stands for itself:
  /// a test finds it.
  func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
    find(key, values) ?? key
  }

  /// The text of a key; nil when there is none.
  func find(_ key: String, _ values: [String: String] = [:]) -> String? {
    guard case .text(let text) = entries[key] else { return nil }
    return Self.fill(text, values)
  }

  /// The text of a key in the form that goes with a number, which replaces `{count}`.
  func count(_ key: String, _ count: Int, _ values: [String: String] = [:]) -> String {
    guard case .forms(let forms) = entries[key] else { return key }
    let text = forms[language.form(of: count)] ?? forms[.other] ?? key
    return Self.fill(text, values.merging(["count": number(count)]) { _, ours in ours })
  }

  /// A whole number with its digits in groups of three.
  func number<Number: BinaryInteger>(_ value: Number) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "−" : ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place).isMultiple(of: 3) { text += language.groupSeparator }
      text.append(digit)
    }
    return text
  }

  /// What a category is called.
  func category(_ category: ReportCategory) -> String { category.label(in: language.rawValue) }

  /// What a country is called.
  /// - Parameter code: ISO 3166-1 alpha-2; what is none stands for itself.
  func country(_ code: String) -> String {
    Locale(identifier: language.rawValue).localizedString(forRegionCode: code) ?? code
  }

  private static func fill(_ text: String, _ values: [String: String]) -> String {
    guard !values.isEmpty, text.contains("{") else { return text }
    return text.replacing(/\{([A-Za-z][A-Za-z0-9.]*)\}/) { match in
      values[String(match.1)].map { $0[...] } ?? match.0
    }
  }
}
