// SPDX-License-Identifier: Apache-2.0

import Curation
import Importing
import HTTPServer
import TestSupport
import Testing

/// Every code has a message in every language, and the message uses only values of the code.
@Suite struct CodedDataTests {
  private let catalog: MessageCatalog

  init() throws {
    catalog = try MessageCatalog(folder: Checkout.texts)
  }

  private func check<Coded: CodedData>(_ area: String, _ samples: [Coded]) throws {
    for data in samples {
      let code = data.code
      #expect(code.name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(code)")
      #expect(data.values.keys.allSatisfy { $0 != "code" && $0.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil }, "\(code)")
      for language in Language.allCases {
        let texts = catalog[language]
        let key = "\(area).\(code.name)"
        let forms: [String] =
          switch texts.entries[key] {
          case .text(let text): [text]
          case .forms(let forms): Array(forms.values)
          case nil: []
          }
        #expect(!forms.isEmpty, "\(language) has no \(key)")
        for text in forms {
          let names = Set(text.matches(of: /\{([^{}]*)\}/).map { String($0.1) })
          #expect(names.subtracting(data.values.keys) == [], "\(language) \(key)")
          // Pages show the message of another program after our own.
          if names.contains("detail") { #expect(text.hasSuffix("{detail}"), "\(language) \(key)") }
        }
        let message = texts.message(area, data)
        #expect(!message.contains("{") && message != key, "\(language) \(key)")
      }
    }
    // A message without its code is obsolete.
    #expect(Set(samples.map(\.code)) == Set(Coded.Code.allCases))
    let known = Set(Coded.Code.allCases.map { "\(area).\($0.name)" })
    let there = catalog[.english].entries.keys.filter { $0.hasPrefix("\(area).") }
    #expect(Set(there).subtracting(known) == [])
  }

  @Test func `every code has a message`() throws {
    try check("publications.finding", CodedSamples.gateFindings)
    try check("home.reason", CodedSamples.emptyListReasons)
    try check("publications.failure", CodedSamples.publicationFailures)
    try check("publications.revocation", CodedSamples.revocationFailures)
    try check("events.failure", CodedSamples.deliveryFailures)
    try check("sources.failure", CodedSamples.sourceFailures)
    try check("jobs.step", CodedSamples.jobSteps)
  }

  @Test func `every reason of a rejected row has a text in every language`() throws {
    let patterns = ProtectedPatternError.allCases.map(\.rawValue)
    let codes = RejectReason.allCases.map(\.rawValue) + RangeViolation.Code.allCases.map(\.name) + patterns
    for language in Language.allCases {
      for code in codes { #expect(catalog[language].find("sources.reason.\(code)") != nil, "\(language) \(code)") }
    }
  }

  @Test func `values are formatted in the language of the reader`() {
    let change = GateFinding.SizeChange(
      entries: 41_428, sizeBytes: 310_022, formerEntries: 23_200, formerBytes: 180_411)
    let finding = GateFinding.sizeOutsideLimits(change, minimumPercent: 50, maximumPercent: 150)
    #expect(
      catalog[.english].message("publications.finding", finding)
        == "Entries: 41,428, before 23,200. Size: 310.0\u{A0}kB, before 180.4\u{A0}kB. "
        + "Allowed: 50% to 150% of the previous publication. Removed for a known reason: 0. Expected additions: 0. "
        + "Entries of rules, which are not compared: 0.")
    #expect(
      catalog[.russian].message("publications.finding", GateFinding.tooManyEntries(entries: 12_000, maximum: 10))
        == "Записей: 12\u{A0}000. Допускается не больше 10.")
    // Serials and telephone numbers are not counts, so their digits are not grouped.
    #expect(
      catalog[.english].message("publications.failure", PublicationFailure.serialUsed(serial: 1_000, minimum: 1_001))
        == "The serial 1000 is already used. Use 1001 or more.")
  }

  @Test func `text of another program is a separate part of the message`() {
    let failure = PublicationFailure.cannotWrite(path: "/data", detail: "No space left on device")
    let parts = catalog[.russian].parts("publications.failure", failure)
    #expect(parts.detail == "No space left on device" && parts.text.hasSuffix("Сообщение операционной системы: "))
    #expect(catalog[.english].parts("publications.failure", PublicationFailure.busy).detail == "")
    let long = PublicationFailure.internalError(String(repeating: "\u{0}x", count: 2_000))
    #expect(long.values["detail"] == .text(String(repeating: "x", count: 1_000)))
  }
}
