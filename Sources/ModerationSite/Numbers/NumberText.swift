// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Importing
import HTTPServer
import PhoneNumbers
import Storage

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

/// The areas of North America by the area code of their numbers.
struct NumberAreas: Sendable {
  private let names: [Int64: String]

  /// - Parameter file: regions with prefixes; where it cannot be read, no area has a name.
  init(file: String) {
    let regions = (try? RegionFile.read(contentsOf: file)) ?? []
    names = Dictionary(regions.flatMap { region in region.prefixes.map { ($0, region.name) } }) { first, _ in first }
  }

  /// The name of a number's area, such as `Birmingham, Alabama`; nil for other numbers.
  func name(of digits: Int64) -> String? { digits / 10_000_000_000 == 1 ? names[digits / 10_000_000] : nil }
}

/// Reads a typed number and the country in which it is dialed.
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
    case .placeholder, .mask, .severalNumbers, .decimal: "appeal.number-one"
    case .notANumber, .notValid, .unknownCallingCode: "appeal.number-wrong"
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
  /// Another spelling of a number: `+33 1 99…`, or as it is dialed in the reader's country.
  case other(PhoneNumber)
  /// Digits of a number that is unknown in the reader's country; a search finds it by its ending.
  case dialled(String)
  /// Not a number.
  case nothing

  /// - Parameters:
  /// - text: a path component.
  /// - country: where a number in national format is dialed; nil if unknown.
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
    let number = try? PhoneNumber(parsing: text, region: region)
    self = number.map { .other($0) } ?? .dialled(text)
  }
}

extension SearchHit {
  func record(_ texts: Localizer) -> TemplateRecord {
    [
      "digits": number, "number": NumberText.text(number), "country": NumberText.country(number, texts),
      "reports": texts.number(reports), "last": lastReportedAt.map { PageTime($0, texts) }, "badges": badges(texts),
      "label": label ?? "", "name": directoryName ?? "",
    ]
  }

  private func badges(_ texts: Localizer) -> [TemplateRecord] {
    func badge(_ text: String, _ tone: String) -> TemplateRecord { ["text": text, "tone": tone] }
    return [
      listedAs.map { category in
        badge(
          texts(isBlocked ? "search.blocked" : "search.named", ["category": texts.category(category)]),
          isBlocked ? "alarm" : "warn")
      },
      decision.map { badge(texts("search.decided-\($0.rawValue)"), "") },
      isHeld ? badge(texts("search.held"), "warn") : nil, hasAppeal ? badge(texts("search.appeal"), "warn") : nil,
    ].compactMap { $0 }
  }
}

extension DirectoryName {
  var record: TemplateRecord { ["name": name, "category": category ?? "", "source": source] }
}
