// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// The rules of each language, and what its catalog must have by them.
@Suite struct LanguageTests {
  /// CLDR's plural forms of 0, 1, 2, 5, 11, 21 and 1,000,000.
  private static let forms: [String: [PluralForm]] = [
    "de": [.other, .one, .other, .other, .other, .other, .other],
    "en": [.other, .one, .other, .other, .other, .other, .other],
    "es": [.other, .one, .other, .other, .other, .other, .many],
    "fr": [.one, .one, .other, .other, .other, .other, .many],
    "ru": [.many, .one, .few, .many, .many, .one, .many],
  ]

  /// 1,234, 12,345, 1,234,567.5 and 30 percent.
  private static let figures: [String: [String]] = [
    "de": ["1.234", "12.345", "1.234.567,5", "30\u{A0}%"],
    "en": ["1,234", "12,345", "1,234,567.5", "30%"],
    "es": ["1234", "12.345", "1.234.567,5", "30\u{A0}%"],
    "fr": ["1\u{202F}234", "12\u{202F}345", "1\u{202F}234\u{202F}567,5", "30\u{A0}%"],
    "ru": ["1\u{A0}234", "12\u{A0}345", "1\u{A0}234\u{A0}567,5", "30\u{A0}%"],
  ]

  /// 22 November 2026, without the spaces that do not break.
  private static let days = [
    "de": "22. November 2026", "en": "22 November 2026", "es": "22 de noviembre de 2026", "fr": "22 novembre 2026",
    "ru": "22 ноября 2026",
  ]

  /// Names and symbols, which every language writes as English does.
  private static let international: Set<String> = [
    "API", "B", "CSV", "Esc", "GB", "MB", "OK", "Ringfence", "UTC", "d", "decision", "h", "json", "kB", "min",
    "openapi", "s",
  ]

  /// Words that are the same in English and the language, where a text has no others.
  private static let common: [String: Set<String>] = [
    "de": [
      "Apps", "April", "August", "Browser", "Code", "Delta", "Deltas", "Format", "Name", "Normal", "November",
      "Passkeys", "Pseudonym", "September", "Status", "Team", "Test", "Text", "Ticket", "Version",
    ],
    "es": ["Delta", "Deltas", "Error", "Normal", "Telemarketing", "Total", "no"],
    "fr": [
      "Action", "Administration", "Cause", "Code", "Condition", "Delta", "Deltas", "Format", "Formats",
      "Installations", "Menu", "Normal", "Note", "Pages", "Protection", "Publication", "Publications", "Sections",
      "Sessions", "Source", "Sources", "Ticket", "Total", "Urgent", "Version", "Versions", "minute", "minutes",
      "mobile", "publication", "sessions", "triage",
    ],
  ]

  private let catalog: MessageCatalog

  init() throws {
    catalog = try MessageCatalog(folder: Checkout.texts)
  }

  private static func texts(_ entry: Localizer.Entry?) -> [String] {
    switch entry {
    case .text(let text): [text]
    case .forms(let forms): Array(forms.values)
    case nil: []
    }
  }

  @Test(arguments: Language.allCases) func `plural forms follow CLDR`(language: Language) throws {
    let expected = try #require(Self.forms[language.rawValue])
    #expect([0, 1, 2, 5, 11, 21, 1_000_000].map(language.form(of:)) == expected)
    #expect(language.form(of: -1) == language.form(of: 1))
  }

  /// `other` is the form of fractions, and of multiples of a million where a text has no form of its own for them.
  @Test(arguments: Language.allCases) func `a text has the plural forms of its language and no others`(
    language: Language
  ) {
    let needed = Set((0...120).map(language.form(of:)))
    let known = needed.union([.other, language.form(of: 1_000_000)])
    for (key, entry) in catalog[language].entries {
      guard case .forms(let forms) = entry else { continue }
      #expect(needed.isSubset(of: forms.keys) && known.isSuperset(of: forms.keys), "\(language) \(key)")
    }
  }

  @Test(arguments: Language.allCases) func `figures and days follow CLDR`(language: Language) throws {
    let texts = catalog[language]
    let expected = try #require(Self.figures[language.rawValue])
    #expect(
      [texts.number(1_234), texts.number(12_345), texts.decimal(1_234_567.5), texts.percent(0.3)] == expected)
    #expect(texts.day("2026-11-22").replacing("\u{A0}", with: " ") == Self.days[language.rawValue])
  }

  @Test func `the first day of a month is an ordinal number in French alone`() {
    for (language, text) in [(Language.french, "1er décembre 2026"), (.spanish, "1 de diciembre de 2026")] {
      let texts = catalog[language]
      #expect(texts.day("2026-12-01").replacing("\u{A0}", with: " ") == text)
      #expect(texts.time("2026-12-01T01:10:00Z").replacing("\u{A0}", with: " ").hasPrefix("\(text), 01:10"))
    }
    #expect(catalog[.french].day("2026-12-11").hasPrefix("11"))
  }

  @Test(arguments: Language.allCases.filter { $0 != .english }) func `no text is left in English`(
    language: Language
  ) {
    let words = Self.international.union(Self.common[language.rawValue] ?? [])
    for (key, entry) in catalog[language].entries {
      let english = Self.texts(catalog[.english].entries[key])
      for text in Self.texts(entry) where english.contains(text) {
        let found = text.replacing(/\{[^{}]*\}|`[^`]*`/, with: " ").matches(of: /\p{L}+/).map { String($0.0) }
        #expect(words.isSuperset(of: found), "\(language) \(key): “\(text)” is the English text.")
      }
    }
  }

  @Test(arguments: Language.allCases) func `texts have the characters and quotation marks of their language`(
    language: Language
  ) {
    let (opening, closing) = language.quotationMarks
    let foreign = Set("“”„«»\"").subtracting(opening + closing)
    for (key, entry) in catalog[language].entries {
      for text in Self.texts(entry) {
        #expect(foreign.isDisjoint(with: text), "\(language) \(key): \(text)")
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
          scalar == "\n" || scalar == "\u{AD}" || ![.control, .format].contains(scalar.properties.generalCategory)
        }
        #expect(isPlain, "\(language) \(key): \(text)")
        // Double and outer spaces, and spaces before or after a mark that must not begin or end a line.
        #expect(
          text.firstMatch(of: /\.\.\.|\s\s|^\s|\s$|\u{20}[:;!?»%]|«\u{20}/) == nil, "\(language) \(key): \(text)")
      }
    }
  }

  /// The glossary has a column for each language with terms, and the catalog of the language uses them.
  @Test func `the terms of the glossary are used in the texts`() throws {
    let lines = try String(contentsOfFile: "\(Checkout.root)/Documentation/glossary.md", encoding: .utf8)
      .components(separatedBy: "\n## ").first { $0.hasPrefix("Terms in the languages of the pages") }
    let rows = try #require(lines).split(separator: "\n").filter { $0.hasPrefix("|") }.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let header = try #require(rows.first)
    #expect(Set(header.dropFirst()) == Set(Language.allCases.map(\.rawValue)).subtracting(["en"]))
    for (column, code) in header.enumerated().dropFirst() {
      let language = try #require(Language(rawValue: code))
      // Without soft hyphens.
      let all = catalog[language].entries.values.flatMap(Self.texts).joined(separator: "\n")
        .replacing("\u{AD}", with: "").lowercased()
      for row in rows.dropFirst(2) {
        let term = try #require(row.count == header.count ? row[column] : nil, "\(row)")
        #expect(all.contains(term.lowercased()), "\(code): the texts do not use “\(term)”.")
      }
    }
  }
}
