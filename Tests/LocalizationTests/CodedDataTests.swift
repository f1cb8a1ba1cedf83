// SPDX-License-Identifier: Apache-2.0

import Curation
import Importing
import Localization
import TestSupport
import Testing

/// Every code has a message in every language, and the message uses only values of the code.
@Suite struct CodedDataTests {
  private let catalog: MessageCatalog

  init() throws {
    catalog = try MessageCatalog(folder: Checkout.texts)
  }

  private func check<Coded: CodedData>(_ area: String, _ sample: (Coded.Code) -> Coded) throws {
    for code in Coded.Code.allCases {
      #expect(code.name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(code)")
      let data = sample(code)
      #expect(data.code == code)
      #expect(data.values.keys.allSatisfy { $0 != "code" && $0.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil }, "\(code)")
      #expect(try Coded(json: data.json) == data, "\(code)")
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
    let known = Set(Coded.Code.allCases.map { "\(area).\($0.name)" })
    let there = catalog[.english].entries.keys.filter { $0.hasPrefix("\(area).") }
    #expect(Set(there).subtracting(known) == [])
  }

  @Test func `every gate finding has a message`() throws {
    let change = GateFinding.SizeChange(
      entries: 41_428, sizeBytes: 310_022, formerEntries: 23_200, formerBytes: 180_411)
    try check("publications.finding") { (code: GateFinding.Code) -> GateFinding in
      switch code {
      case .packReadable: .packReadable
      case .packUnreadable: .packUnreadable("a checksum does not match")
      case .numbersAscend: .numbersAscend
      case .numbersNotAscending: .numbersNotAscending(number: 5, previous: 7)
      case .entriesWithinMaximum: .entriesWithinMaximum(entries: 9, maximum: 10)
      case .rulesWithoutRoom:
        .rulesWithoutRoom(entries: 9, maximum: 10, rules: 2, numbers: 1_000_100, range: "+33199*")
      case .tooManyEntries: .tooManyEntries(entries: 20, maximum: 10)
      case .noProtectedNumbers: .noProtectedNumbers
      case .protectedNumbers: .protectedNumbers([112, 33_199_000_248])
      case .hasEntries: .hasEntries(entries: 1)
      case .emptyForReason: .emptyForReason(explained: 30)
      case .noEntries: .noEntries
      case .packEmpty: .packEmpty(formerEntries: 2_000)
      case .packMissing: .packMissing(formerEntries: 2_000)
      case .firstOfItsName: .firstOfItsName
      case .sizeWithinLimits: .sizeWithinLimits(change)
      case .sizeOutsideLimits: .sizeOutsideLimits(change, minimumPercent: 50, maximumPercent: 150)
      case .churnWithinLimits: .churnWithinLimits(.init(added: 1, removed: 2, formerEntries: 3))
      case .tooMuchChurn: .tooMuchChurn(.init(added: 18_240, removed: 12, formerEntries: 23_200), maximumPercent: 30)
      }
    }
  }

  @Test func `every reason of an empty list has a message`() throws {
    try check("home.reason") { (code: EmptyListReason.Code) -> EmptyListReason in
      switch code {
      case .sourceUnread: .sourceUnread(source: "ftc-rolling")
      case .noSource: .noSource
      case .noApp: .noApp
      case .noReport: .noReport
      case .newReporters: .newReporters(count: 31)
      case .held: .held(count: 2)
      case .waiting: .waiting(count: 1)
      case .belowThresholds: .belowThresholds
      }
    }
  }

  @Test func `every publication failure has a message`() throws {
    try check("publications.failure") { (code: PublicationFailure.Code) -> PublicationFailure in
      switch code {
      case .busy: .busy
      case .cancelled: .cancelled
      case .cannotWrite: .cannotWrite(path: "/data/manifest.json", detail: "No space left on device")
      case .cutTooHigh: .cutTooHigh
      case .databaseError: .databaseError("The database could not be reached.")
      case .damagedManifest: .damagedManifest(path: "/data/manifest.json")
      case .damagedRoot: .damagedRoot(path: "/data/root.json")
      case .gatesClosed: .gatesClosed
      case .internalError: .internalError("Unknown")
      case .keyNotInRoot: .keyNotInRoot(key: "ab12", root: 2)
      case .nameTooLong: .nameTooLong(number: 33_199_000_248)
      case .numbersNotAscending: .numbersNotAscending(number: 5, previous: 7)
      case .packError: .packError("number 5: the label is too long")
      case .processEnded: .processEnded
      case .refusedByReaders: .refusedByReaders("the region is unknown")
      case .samePackName: .samePackName(pack: "toxic")
      case .serialsReserved: .serialsReserved(serial: 86_413)
      case .serialUsed: .serialUsed(serial: 1_000, minimum: 1_001)
      case .superseded: .superseded(serial: 1_000)
      }
    }
  }

  @Test func `every revocation failure has a message`() throws {
    try check("publications.revocation") { (code: RevocationFailure.Code) -> RevocationFailure in
      switch code {
      case .gatesClosed: .gatesClosed(gates: "cap, order")
      case .nothingPublished: .nothingPublished
      case .numberProtected: .numberProtected(number: 33_199_000_248)
      }
    }
  }

  @Test func `every failed delivery has a message`() throws {
    try check("events.failure") { (code: DeliveryFailure.Code) -> DeliveryFailure in
      switch code {
      case .answerTooLong: .answerTooLong(maximumBytes: 65_536)
      case .connectionFailed: .connectionFailed("Connection refused")
      case .endedEarly: .endedEarly
      case .invalidAddress: .invalidAddress
      case .mailFailed: .mailFailed("Relaying denied")
      case .malformedAnswer: .malformedAnswer
      case .noMailServer: .noMailServer
      case .silent: .silent
      case .tookTooLong: .tookTooLong(seconds: 15)
      case .unexpectedEncoding: .unexpectedEncoding(encoding: "br")
      case .unexpectedStatus: .unexpectedStatus(status: 500)
      case .untrustedCertificate: .untrustedCertificate
      }
    }
  }

  @Test func `every failure of a source has a message`() throws {
    try check("sources.failure") { (code: SourceFailure.Code) -> SourceFailure in
      switch code {
      case .answerTooLong: .answerTooLong(maximumBytes: 67_108_864)
      case .cannotWrite: .cannotWrite("No space left on device")
      case .connectionFailed: .connectionFailed("Connection refused")
      case .damagedFile: .damagedFile
      case .endedEarly: .endedEarly
      case .expandsTooFar: .expandsTooFar(maximumBytes: 536_870_912)
      case .expired: .expired
      case .freesTooMany: .freesTooMany(listed: 150, maximum: 101)
      case .invalidAddress: .invalidAddress
      case .keyUnreadable: .keyUnreadable(path: "/etc/ringfence/list.key")
      case .keyWithoutHTTPS: .keyWithoutHTTPS
      case .malformedAnswer: .malformedAnswer
      case .missingColumn: .missingColumn(column: "phone")
      case .missingFile: .missingFile(address: "https://localhost/v1/manifest.json")
      case .noEntries: .noEntries
      case .noEvidence: .noEvidence(pack: "blocklist")
      case .noPack: .noPack(pack: "blocklist")
      case .notStored: .notStored("The database could not be reached.")
      case .olderPublication: .olderPublication(serial: 1_000, accepted: 1_001)
      case .otherOrigin: .otherOrigin
      case .otherServer: .otherServer(server: "ab12ab12ab12ab12")
      case .ownServer: .ownServer
      case .privateAddress: .privateAddress
      case .rootExpired: .rootExpired
      case .sameServer: .sameServer(server: "ab12ab12ab12ab12", source: "neighbours")
      case .silent: .silent
      case .stillRemoving: .stillRemoving
      case .superseded: .superseded
      case .notRead: .notRead
      case .storedComplaints: .storedComplaints
      case .tooManyChanges: .tooManyChanges(added: 40, removed: 9_000, former: 10_000, mostPercent: 50)
      case .tooManyEntries: .tooManyEntries(maximum: 2_000_000)
      case .tooManyRejects: .tooManyRejects(rejected: 9_000, rows: 10_000)
      case .tooMuchWork: .tooMuchWork(seconds: 60)
      case .tookTooLong: .tookTooLong(seconds: 300)
      case .unexpectedEncoding: .unexpectedEncoding(encoding: "br")
      case .unexpectedStatus: .unexpectedStatus(status: 500)
      case .unreadable: .unreadable("the document ends early")
      case .unsupportedVersion: .unsupportedVersion(version: 2, known: 1)
      case .untrustedCertificate: .untrustedCertificate
      case .untrustedKey: .untrustedKey(keys: "ab12ab12ab12ab12")
      case .wrongDigest: .wrongDigest(path: "formats/blocklist-7.evidence.jsonl.gz")
      case .wrongSignature: .wrongSignature
      case .wrongType: .wrongType(type: "text/html")
      case .xzMissing: .xzMissing
      }
    }
  }

  @Test func `every reason of a rejected row has a text in every language`() throws {
    let patterns = ProtectedPatternError.allCases.map(\.rawValue)
    let codes = RejectReason.allCases.map(\.rawValue) + RangeViolation.Code.allCases.map(\.name) + patterns
    for language in Language.allCases {
      for code in codes { #expect(catalog[language].find("sources.reason.\(code)") != nil, "\(language) \(code)") }
    }
  }

  @Test func `every job step has a message`() throws {
    try check("jobs.step") { (code: JobStep.Code) -> JobStep in
      switch code {
      case .starting: .starting
      case .findingBrigades: .findingBrigades
      case .selectingNumbers: .selectingNumbers
      case .readingNumbers: .readingNumbers(count: 12_000)
      case .writingPacks: .writingPacks
      case .writingPack: .writingPack(pack: "toxic")
      case .readingBack: .readingBack(pack: "toxic")
      case .changingPack: .changingPack(pack: "toxic")
      case .makingDeltas: .makingDeltas(pack: "toxic")
      case .signing: .signing
      case .revealing: .revealing
      case .comparingThresholds: .comparingThresholds(count: 12_000)
      }
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

  @Test func `codes are stored as flat JSON`() throws {
    let finding = GateFinding.tooManyEntries(entries: 20, maximum: 10)
    #expect(finding.json == #"{"code":"too_many_entries","entries":20,"maximum":10}"#)
    #expect(throws: DecodingError.self) { try GateFinding(json: #"{"code":"unknown"}"#) }
    #expect(throws: DecodingError.self) { try GateFinding(json: #"{"entries":20}"#) }
  }
}
