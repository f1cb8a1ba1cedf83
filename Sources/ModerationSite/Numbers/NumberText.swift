// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Localization
import PageTemplates
import PhoneNumbers
import Storage

/// Formats a number for pages.
enum NumberText {
  static func text(_ digits: Int64) -> String {
    PhoneNumber(digits: digits)?.formatted(.international) ?? "+\(digits)"
  }

  /// Formats a number with no-break spaces, for a heading.
  static func unbroken(_ digits: Int64) -> String { text(digits).replacing(" ", with: "\u{A0}") }

  /// The name of the number's country, or a dash.
  static func country(_ digits: Int64, _ texts: Localizer) -> String {
    RegionMap.countries.region(of: digits).map(texts.country) ?? "–"
  }
}

/// Reads a typed number and the country in which it is dialled.
struct NumberField {
  /// The longest accepted text in bytes.
  static let longest = 64

  /// Parses a typed number.
  /// - Parameters:
  /// - text: in international format, or in the country's national format.
  /// - country: ISO 3166 alpha-2; nil or empty if none was chosen.
  /// - Returns: the number, or the key of the message for its error.
  static func read(_ text: String, country: String?) -> Result<PhoneNumber, NumberFieldProblem> {
    guard !text.isEmpty else { return .failure(.init(key: "appeal.number-empty")) }
    guard text.utf8.count <= longest else { return .failure(.init(key: "appeal.number-long")) }
    let region = country.flatMap { PhoneRegion($0)?.code }
    do throws(PhoneNumberError) {
      return .success(try PhoneNumber(parsing: text, region: region))
    } catch {
      return .failure(.init(key: key(of: error)))
    }
  }

  private static func key(of error: PhoneNumberError) -> String {
    switch error {
    case .empty: "appeal.number-empty"
    case .needsRegion, .unknownRegion: "appeal.number-country"
    case .tooShort: "appeal.number-short"
    case .tooLong: "appeal.number-long"
    case .shortOrEmergency: "appeal.number-emergency"
    case .notANumber, .notValid, .unknownCallingCode, .libraryFailure: "appeal.number-wrong"
    }
  }
}

/// An error in a typed number, as the key of its message.
struct NumberFieldProblem: Error {
  let key: String
}

/// The spelling of a number in a page's address.
enum NumberSpelling: Equatable {
  /// E.164 digits, as in all links.
  case canonical(PhoneNumber)
  /// Another spelling of a number: `+33 1 62…`, or as it is dialled in the reader's country.
  case other(PhoneNumber)
  /// Digits of a number that is unknown in the reader's country; a search finds it by its ending.
  case dialled(String)
  /// Not a number.
  case nothing

  /// - Parameters:
  /// - text: a path component.
  /// - country: where a number in national format is dialled; nil if unknown.
  init(_ text: String, country: String?) {
    let text = (text.removingPercentEncoding ?? text).trimmingCharacters(in: .whitespaces)
    if let digits = Int64(text), String(digits) == text {
      self = PhoneNumber(digits: digits).map { .canonical($0) } ?? .nothing
      return
    }
    let digits = text.unicodeScalars.count { ("0"..."9").contains($0) }
    let isSpelling = text.unicodeScalars.allSatisfy {
      ("0"..."9").contains($0) || "+ -–().\u{A0}".unicodeScalars.contains($0)
    }
    guard isSpelling, (6...15).contains(digits) else {
      self = .nothing
      return
    }
    let region = country.flatMap { PhoneRegion($0)?.code }
    // In some countries national numbers begin with 00, such as 0077 in Japan.
    if let number = try? PhoneNumber(parsing: text, region: region), number.isValid {
      self = .other(number)
      return
    }
    // Most countries dial 00 before international numbers.
    let whole = text.hasPrefix("00") ? "+\(text.dropFirst(2))" : text
    let number = try? PhoneNumber(parsing: whole, region: region)
    self = number.map { .other($0) } ?? .dialled(text)
  }
}

/// A row of a list of numbers.
struct NumberRow: Encodable {
  /// A short mark of the number's state.
  struct Badge: Encodable {
    let text: String
    let tone: String
  }

  let digits: Int64
  let number: String
  let country: String
  let reports: String
  let last: [PageTime]
  let badges: [Badge]
  let label: String
  /// The name in a directory; empty for none.
  let name: String

  init(_ line: SearchHit, _ texts: Localizer) {
    digits = line.number
    number = NumberText.text(line.number)
    country = NumberText.country(line.number, texts)
    reports = texts.number(line.reports)
    last = line.lastReportedAt.map { [PageTime($0, texts)] } ?? []
    label = line.label ?? ""
    name = line.directoryName ?? ""
    var badges: [Badge] = []
    if let category = line.listedAs {
      badges.append(
        Badge(
          text: texts(line.isBlocked ? "search.blocked" : "search.named", ["category": texts.category(category)]),
          tone: line.isBlocked ? "alarm" : "warn"))
    }
    if let decision = line.decision {
      badges.append(Badge(text: texts("search.decided-\(decision.rawValue)"), tone: ""))
    }
    if line.isHeld { badges.append(Badge(text: texts("search.held"), tone: "warn")) }
    if line.hasAppeal { badges.append(Badge(text: texts("search.appeal"), tone: "warn")) }
    self.badges = badges
  }
}

extension NumberRow: TemplateValueConvertible {
  var templateValue: TemplateValue {
    [
      "digits": .text("\(digits)"), "number": .text(number), "country": .text(country), "reports": .text(reports),
      "last": last.templateValue, "badges": badges.templateValue, "label": .text(label), "name": .text(name),
    ]
  }
}

extension NumberRow.Badge: TemplateValueConvertible {
  var templateValue: TemplateValue { ["text": .text(text), "tone": .text(tone)] }
}
