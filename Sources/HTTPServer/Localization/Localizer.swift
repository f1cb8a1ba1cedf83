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

  /// The short names of the days, from Monday.
  package var weekdays: [String] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.locale = Locale(identifier: language.rawValue)
    let names = calendar.shortStandaloneWeekdaySymbols
    return Array(names.dropFirst() + names.prefix(1))
  }

  package func category(_ category: ReportCategory) -> String { self("category.\(category.slug)") }

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

extension Localizer {
  /// The message of a code with its values formatted for the reader.
  ///
  /// A count with a noun has its own plural forms under `AREA.CODE.NAME`; a value that is a code has its text under
  /// `AREA.NAME.VALUE`.
  /// - Parameter area: the message key's part before the code: `publications.gate` for
  ///   `publications.gate.too_few_entries`. A message with plural forms uses the value `count`.
  package func message(_ area: String, _ data: some CodedMessage) -> String {
    let key = "\(area).\(data.code.name)"
    let values = Dictionary(
      uniqueKeysWithValues: data.values.map { ($0, text(of: $1, named: $0, in: area, of: key)) })
    guard case .forms = entries[key], case .integer(let number) = data.values["count"] else { return self(key, values) }
    return count(key, Int(clamping: number), values)
  }

  /// The message of a code in two parts: the text without its value `detail`, and that value, an English message of
  /// another program. A message with `{detail}` ends with it.
  package func parts(_ area: String, _ data: some CodedMessage) -> (text: String, detail: String) {
    guard case .text(let detail) = data.values["detail"] else { return (message(area, data), "") }
    let text = message(area, data)
    return text.hasSuffix(detail) ? (String(text.dropLast(detail.count)), detail) : (text, "")
  }

  private func text(of value: CodedValue, named name: String, in area: String, of key: String) -> String {
    switch value {
    case .integer(let value):
      if case .forms = entries["\(key).\(name)"] { return count("\(key).\(name)", Int(clamping: value)) }
      if name.hasSuffix("_bytes") { return bytes(value) }
      return number(value) + (name.hasSuffix("_percent") ? language.percentSign : "")
    case .decimal(let value) where name.hasSuffix("_percent"): return decimal(value) + language.percentSign
    case .decimal(let value): return decimal(value, places: 2)
    case .text(let value):
      switch name.split(separator: "_").last {
      case "category": return ReportCategory(slug: value).map(category) ?? value
      case "country": return country(value)
      case "day": return day(value)
      // Names of several conditions, with commas between them.
      case "conditions":
        return value.split(separator: ",").map { find("\(area).\(name).\($0)") ?? String($0) }
          .joined(separator: ", ")
      default: return find("\(area).\(name).\(value)") ?? value
      }
    }
  }
}

extension Localizer {
  package func message(_ line: ExplanationLine) -> String { message("explanation", line) }

  package func message(_ line: StatementLine) -> String {
    guard case .text(let stored) = line.values["reason"] else { return message("statement", line) }
    return self("statement.\(line.code.name)", ["reason": reason(stored)])
  }

  package func message(_ reason: HoldReason) -> String { message(.hold(reason)) }

  /// The reason why a number is protected, as a part of a sentence.
  package func message(_ reason: ProtectionReason) -> String { message("protection", reason) }

  package func message(_ violation: RuleViolation) -> String { message("rule", violation) }

  /// The reason of a decision: the text of a common reason, whose code is stored, or the moderator's own text.
  package func reason(_ stored: String) -> String { find("explanation.reason.\(stored)") ?? stored }

  package func message(_ problem: ThresholdProblem) -> String { message("threshold", problem) }

  package func message(_ error: ProtectedPatternError) -> String { self("protected.pattern.\(error.rawValue)") }

}

/// The JSON of an explanation for the API and the command line: its codes and figures, and the sentences of `account`.
package struct LocalizedExplanation: Encodable {
  private enum Key: String, CodingKey {
    case account
  }

  private var explanation: Explanation
  /// One or two sentences for each line.
  package let account: [String]

  package init(_ explanation: Explanation, _ texts: Localizer) {
    self.explanation = explanation
    self.explanation.decisionReason = explanation.decisionReason.map(texts.reason)
    account = explanation.lines.map { texts.message($0) }
  }

  package func encode(to encoder: any Encoder) throws {
    try explanation.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(account, forKey: .account)
  }
}
