// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import PhoneNumbers
import Synchronization
import TestData
import Testing

@testable import API
@testable import Importing
@testable import Intake
@testable import ModerationSite
@testable import RingfenceCommand
@testable import Storage

/// A place at which a text may be a number: all of them read a text alike.
private struct Door: Sendable, CustomStringConvertible {
  let description: String
  /// Whether a text without a region may be digits of an international number.
  var isInternational = false
  /// Whether letters of a keypad are read.
  var readsLetters = true
  /// The number, or nil for a refusal.
  let read: @Sendable (_ text: String, _ region: String?) async throws -> Int64?

  static let all: [Door] = [
    Door(description: "reports") { text, region in
      let report = ReportSubmission(
        number: text, region: region, category: "fraud", reporter: "a", reportID: UUID().uuidString,
        reportedAt: "2026-11-21T12:00:00Z")
      let now = Date(timeIntervalSince1970: 1_795_400_000)
      return try? report.checked(at: now).number
    },
    Door(description: "identifications") { text, region in
      let item = IdentificationSubmission.Item(number: text, region: region, named: 1, unknown: 0, day: "2026-11-21")
      let submission = IdentificationSubmission(batchID: UUID().uuidString, items: [item])
      return try? submission.batch(appID: 1, at: Date(timeIntervalSince1970: 1_795_400_000)).items[0].number
    },
    Door(description: "telephone systems", isInternational: true) { DialedNumber.read($0, region: $1)?.digits },
    Door(description: "PhoneBlock", isInternational: true) { text, region in
      try? PhoneBlockNumber(region: region.flatMap { PhoneRegion($0) }).read(text).digits
    },
    Door(description: "Apple", readsLetters: false) { AppleFieldMap.number(.text($0), region: $1)?.digits },
    Door(description: "appeals") { try? NumberField.read($0, country: $1).get().digits },
    Door(description: "search") { text, country in
      if case .beginning(_, let exact, _) = SearchRequest(text, country: country) { exact } else { nil }
    },
    Door(description: "protection", isInternational: true) { text, region in
      if case .number(let number) = try? ProtectionTarget(reading: text, region: region) { number } else { nil }
    },
    Door(description: "commands") { text, region in
      let arguments = ["--", text]
      return try? NumberOptions.parse(region.map { ["--region", $0] + arguments } ?? arguments).digits
    },
    Door(description: "complaints") { text, region in
      var row = ["number": text, "category": "fraud", "reported_at": "2026-11-21T12:00:00Z"]
      row["region"] = region
      return try await file(JSONEncoder().encode(row)) { path in
        var options = ImportOptions(path: path, format: .jsonLines)
        options.now = Date(timeIntervalSince1970: 1_795_400_000)
        let found = Mutex<Int64?>(nil)
        _ = try await ImportPipeline(options: options).run { rows in
          found.withLock { $0 = rows.first?.number }
          return SinkResult(inserted: rows.count, duplicates: 0)
        }
        return found.withLock { $0 }
      }
    },
    Door(description: "directories") { text, region in
      try await file(table("phone,name", "\(quoted(text)),Test")) { path in
        let found = Mutex<[Int64]>([])
        _ = try await DirectoryImport(options: DirectoryOptions(path: path, region: region)).run { next in
          while case let batch = try await next(), !batch.isEmpty {
            found.withLock { found in batch.forEach { row, _, _ in found.append(row.number) } }
          }
          return DirectoryChange(entries: 0, replaced: 0, overruled: 0)
        }
        return found.withLock { $0.count == 1 ? $0[0] : nil }
      }
    },
    Door(description: "lists", isInternational: true) { text, region in
      try await file(table("number,label", "\(quoted(text)),x", "+33199000999,y")) { path in
        var options = SourceOptions()
        options.region = region
        let content = try SourceContent(path: path, format: .csv, options: options, isComplete: true, most: 10)
        let others = content.entries.map(\.number).filter { $0 != 33_199_000_999 }
        return others.count == 1 ? others[0] : nil
      }
    },
  ]

  private static func table(_ rows: String...) -> Data { Data((rows.joined(separator: "\n") + "\n").utf8) }

  private static func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }

  private static func file<Result>(_ data: Data, _ body: (String) async throws -> Result) async throws -> Result {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/file"
      try data.write(to: URL(filePath: path))
      return try await body(path)
    }
  }
}

/// The table of forms at every door.
@Suite struct NumberDoorTests {
  /// Lists take the numbers of these texts, which other doors refuse: they have several, or a remark.
  private static let cells: Set<String> = ["directories", "lists"]

  @Test(arguments: Door.all) private func `every form is read alike`(_ door: Door) async throws {
    for form in NumberForm.numbers + (door.readsLetters ? NumberForm.vanityNumbers : []) {
      // A search for digits and signs alone; a path has no white space around it.
      if door.description == "search", !form.isSearch { continue }
      if !door.readsLetters, !form.isSearch, form.text.contains(where: \.isLetter) { continue }
      guard case .number(let expected) = form.result else { continue }
      let number = try await door.read(form.text, form.region)
      #expect(number == expected, "\(form)")
    }
    for form in NumberForm.plainNumbers where door.isInternational {
      let number = try await door.read(form.text, nil)
      #expect(.number(number ?? 0) == form.result, "\(form)")
    }
  }

  @Test(arguments: Door.all) private func `what is no number is refused`(_ door: Door) async throws {
    for form in NumberForm.masks + NumberForm.refusals {
      if Self.cells.contains(door.description), form.result == .refused("several_numbers") || form.hasRemark {
        continue
      }
      // The region's short numbers are protected, and digits that are in no plan are looked up.
      let takesShort = ["protection", "telephone systems"].contains(door.description)
      if takesShort, form.result == .refused("short_or_emergency") { continue }
      if door.description == "telephone systems", form.result == .refused("needs_region") { continue }
      let number = try await door.read(form.text, form.region)
      #expect(number == nil, "\(form)")
    }
  }

  @Test(arguments: NumberForm.masks) func `masks are ranges where ranges are accepted`(_ form: NumberForm) throws {
    guard case .mask(let text) = form.result else { return }
    let target = try ProtectionTarget(reading: form.text, region: form.region)
    #expect(target.text == text)
  }

  @Test func `short numbers of a region are protected`() throws {
    for (text, region, digits) in [("112", "DE", 49_112), ("116117", "DE", 49_116_117), ("911", "US", 1_911)]
      as [(String, String, Int64)]
    {
      #expect(try ProtectionTarget(reading: text, region: region) == .number(digits))
    }
    #expect(throws: ProtectedPatternError.needsRegion) { try ProtectionTarget(reading: "112", region: nil) }
    for text in ["202-555-0123", "spam", "+49302312512?", "+2025550123"] {
      #expect(throws: ProtectedPatternError.self, "\(text)") { try ProtectionTarget(reading: text, region: nil) }
    }
    #expect(try ProtectionTarget(reading: "202-555-0123", region: "US") == .number(12_025_550_123))
  }
}

extension NumberForm {
  /// Whether the search reads the text as a number: digits with usual signs, or a URI.
  fileprivate var isSearch: Bool {
    PhoneNumber.isURI(text)
      || text.unicodeScalars.allSatisfy { ("0"..."9").contains($0) || " +-–().".unicodeScalars.contains($0) }
  }

  /// Whether a cell of a list leaves a part of the text out.
  fileprivate var hasRemark: Bool { ["030 23125123 (Axel)", "// +493023125123", "; +493023125123"].contains(text) }
}
