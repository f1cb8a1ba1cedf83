// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HTTPServer
@testable import ModerationSite

/// Compares the message catalogs with the templates and with each other.
@Suite struct LocalizationTests {
  private func catalog() throws -> MessageCatalog { try MessageCatalog(folder: Checkout.texts) }

  private static func templates() throws -> [(name: String, text: String)] {
    try FileManager.default.subpathsOfDirectory(atPath: Checkout.templates).filter { $0.hasSuffix(".mustache") }.map {
      ($0, try String(contentsOfFile: "\(Checkout.templates)/\($0)", encoding: .utf8))
    }
  }

  private static func placeholders(_ text: String) -> Set<String> {
    Set(text.matches(of: /\{([^{}]*)\}/).map { String($0.1) })
  }

  @Test func `every text exists in every language`() throws {
    let catalog = try catalog()
    let english = catalog[.english].entries
    #expect(english.count > 50)
    for language in Language.allCases {
      let texts = catalog[language].entries
      #expect(Set(texts.keys).symmetricDifference(english.keys).sorted() == [], "\(language)")
      for (key, entry) in texts {
        switch (entry, english[key]) {
        case (.text(let text), .text(let other)):
          #expect(!text.isEmpty && Self.placeholders(text) == Self.placeholders(other), "\(language) \(key)")
        case (.forms(let forms), .forms(let others)):
          let needed = Set((0...120).map(language.form(of:)))
          #expect(needed.subtracting(forms.keys) == [], "\(language) \(key)")
          let known = others.values.reduce(into: Set(["count"])) { $0.formUnion(Self.placeholders($1)) }
          for text in forms.values { #expect(Self.placeholders(text).isSubset(of: known), "\(language) \(key)") }
        default:
          Issue.record("\(key) is a text in one language and has forms in another")
        }
      }
    }
  }

  @Test func `every template finds its texts`() throws {
    let catalog = try catalog()
    for language in Language.allCases {
      _ = try LocalizedTemplates(texts: catalog[language]).library(folder: Checkout.templates)
    }
    #expect(throws: MessageCatalogError.self) {
      try LocalizedTemplates(texts: catalog[.english]).fill("[[no.such-text]]", of: "a template")
    }
  }

  /// Placeholders must have the form of variable names, which the template or Swift fills.
  @Test func `placeholders are valid variable names`() throws {
    let catalog = try catalog()
    for language in Language.allCases {
      for (key, entry) in catalog[language].entries {
        guard case .text(let text) = entry else { continue }
        for name in Self.placeholders(text) {
          #expect(name.wholeMatch(of: /[A-Za-z][A-Za-z0-9._]*/) != nil, "\(language) \(key): {\(name)}")
        }
        #expect(text.count { $0 == "`" }.isMultiple(of: 2), "\(language) \(key)")
      }
    }
  }

  /// A template without tags, variables and messages contains no words except the product's name.
  @Test func `templates contain no text outside the message catalog`() throws {
    for template in try Self.templates() {
      let bare = template.text
        .replacing(/\{\{![^}]*\}\}/, with: "").replacing(/\{\{\{?[^}]*\}?\}\}/, with: "")
        .replacing(/\[\[[A-Za-z0-9_.\-]+\]\]/, with: "").replacing(/<!--.*?-->/, with: "")
      let attributes = bare.matches(of: /(?:aria-label|title|placeholder|alt|aria-description|label)="([^"]*)"/).map {
        $0.1
      }
      let said = bare.replacing(/<[^>]*>/, with: " ").replacing(/&[a-z]+;/, with: " ")
        .replacing(/(?:kB|MB|GB|Ringfence|CSV|JSON|UTC|TOTP|SVG)/, with: "")
      for text in attributes + [said[...]] {
        #expect(
          text.firstMatch(of: /\p{L}{2,}/) == nil,
          "\(template.name): \(text.trimmingCharacters(in: .whitespacesAndNewlines).prefix(200))")
      }
      #expect(!template.text.contains("style=\"") && !template.text.contains("onclick="), "\(template.name)")
    }
  }

  @Test(arguments: [
    (nil, Language.english), ("", .english), ("ru", .russian), ("ru-RU,ru;q=0.9,en;q=0.8", .russian),
    ("pl,en;q=0.5,ru;q=0.4", .english), ("en;q=0.1, RU;q=0.2", .russian), ("ru;q=0", .english), ("*", .english),
    ("pl-PL", .english), (";;q=,ru", .russian), ("de-AT,ru;q=0.9", .german),
  ]) func `the Accept-Language header selects the language`(header: String?, language: Language) {
    #expect(Language(accepting: header) == language)
  }

  @Test func `plural forms follow the rules of the language`() {
    let forms: [PluralForm: String] = [.one: "{count} номер", .few: "{count} номера", .many: "{count} номеров"]
    let texts = Localizer(language: .russian, entries: ["a.b": .forms(forms)])
    let said = [0, 1, 2, 4, 5, 11, 12, 14, 21, 22, 25, 101, 111, 1_234_561].map { texts.count("a.b", $0) }
    #expect(
      said == [
        "0 номеров", "1 номер", "2 номера", "4 номера", "5 номеров", "11 номеров", "12 номеров", "14 номеров",
        "21 номер",
        "22 номера", "25 номеров", "101 номер", "111 номеров", "1\u{A0}234\u{A0}561 номер",
      ])
    #expect(Language.english.form(of: 1) == .one && Language.english.form(of: 0) == .other)
    #expect(Localizer(language: .english, entries: [:]).number(-1_234) == "−1,234")
  }

  @Test func `texts are escaped and filled`() throws {
    let texts = Localizer(
      language: .english, entries: ["a.b": .text("Run `x <y>` & {name}: {left}"), "a.c": .text("\"{name}\"")])
    #expect(
      try LocalizedTemplates(texts: texts).fill("<p>[[a.b]]</p>", of: "t")
        == "<p>Run <code>x &lt;y&gt;</code> &amp; {{name}}: {{left}}</p>")
    // Other names are for Swift to fill, and a single backquote is text.
    let others = Localizer(language: .english, entries: ["a.d": .text("`{a.b}` {a_b} {2} {a-b} `")])
    #expect(
      try LocalizedTemplates(texts: others).fill("[[a.d]][[]]", of: "t")
        == "<code>{{a.b}}</code> {a_b} {2} {a-b} `[[]]")
    #expect(texts("a.c", ["name": "{name}<"]) == "\"{name}<\"")
    #expect(texts("a.none") == "a.none")
  }

  @Test func `figures are formatted in the style of the language`() {
    let (english, russian) = (
      Localizer(language: .english, entries: ["layout.megabytes": .text("{figure}\u{A0}MB")]),
      Localizer(language: .russian, entries: ["layout.megabytes": .text("{figure}\u{A0}МБ")])
    )
    #expect(english.decimal(1_234.56) == "1,234.6" && russian.decimal(1_234.56) == "1\u{A0}234,6")
    #expect(english.decimal(0.049, places: 2) == "0.05" && russian.decimal(176.085, places: 2) == "176,09")
    #expect(english.decimal(-0.04) == "0.0" && english.decimal(-1_000, places: 0) == "−1,000")
    #expect(english.decimal(.infinity) == "inf")
    #expect(english.percent(0.955) == "96%" && russian.percent(0.3) == "30\u{A0}%")
    #expect(english.bytes(56_789_012) == "56.8\u{A0}MB" && russian.bytes(56_789_012) == "56,8\u{A0}МБ")
    #expect(russian.plain(0.30000000000000004) == "0,3" && russian.plain(1_250.5) == "1\u{A0}250,5")
    #expect(english.plain(1_000_000) == "1,000,000" && russian.typed(1_250.5) == "1250,5")
  }

  @Test func `formatted figures are parsed again`() {
    let typed: [(String, english: Double?, russian: Double?, german: Double?)] = [
      ("2.5", 2.5, 2.5, 2.5), ("2,5", 2.5, 2.5, 2.5), ("1,000", 1_000, 1, 1), ("0,125", 0.125, 0.125, 0.125),
      ("1.000", 1, 1, 1_000), ("0.125", 0.125, 0.125, 0.125), ("1 000,5", 1_000.5, 1_000.5, 1_000.5),
      ("12,345,678.5", 12_345_678.5, nil, nil), ("12.345.678,5", nil, nil, 12_345_678.5),
      ("1\u{A0}000", 1_000, 1_000, 1_000), ("1\u{202F}000", 1_000, 1_000, 1_000), ("-3", -3, -3, -3),
      ("", nil, nil, nil), ("1,2,3", nil, nil, nil), ("many", nil, nil, nil), ("1e5", nil, nil, nil),
      ("٣", nil, nil, nil), ("nan", nil, nil, nil),
    ]
    for (text, english, russian, german) in typed {
      #expect(Language.english.figure(text) == english, "\(text)")
      #expect(Language.russian.figure(text) == russian, "\(text)")
      #expect(Language.german.figure(text) == german, "\(text)")
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let value =
        Double(Int.random(in: 0...999_999, using: &random)) / [1, 10, 100, 1_000].randomElement(using: &random)!
      #expect(PlainNumber.plain(value) == String(format: "%.6g", value), "\(value)")
      for language in Language.allCases {
        let texts = Localizer(language: language, entries: [:])
        #expect(
          language.figure(texts.typed(value)) == value && language.figure(texts.plain(value)) == value, "\(value)")
      }
    }
  }

  /// A figure is not separated from its unit or within its groups, and has the language's decimal separator.
  @Test func `texts have the number format of their language`() throws {
    let catalog = try catalog()
    for language in Language.allCases {
      for (key, entry) in catalog[language].entries {
        let texts: [String] =
          switch entry {
          case .text(let text): [text]
          case .forms(let forms): Array(forms.values)
          }
        // Telephone numbers and names of standards are not figures.
        for text in texts.map({ $0.replacing(/\+[0-9][0-9 \-]*|`[^`]*`/, with: "") }) {
          let wrong =
            switch language.groupSeparator {
            case ",": /[^0-9][0-9],[0-9](?:[^0-9]|$)/
            case ".": /[0-9],[0-9]{3}|[0-9]\.[0-9]{1,2}(?:[^0-9]|$)|[0-9]\.[0-9]{4}/
            default: /[0-9]\.[0-9]/
            }
          #expect(text.firstMatch(of: wrong) == nil, "\(language) \(key)")
          #expect(
            text.firstMatch(of: /[0-9] [0-9]{3}|[0-9}] (?:%|ms|мс|h|ч|B|Б|[kMG][Bo]|[кМГ]Б)(?:[^\p{L}]|$)/) == nil,
            "\(language) \(key)")
        }
      }
    }
  }
}
