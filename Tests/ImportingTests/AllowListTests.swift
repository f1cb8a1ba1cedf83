// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Importing

/// Lists of numbers to protect, by strangers.
@Suite(.database) struct AllowListTests {
  private let number: Int64 = 33_199_000_248

  private func read(
    _ text: String, _ format: SourceFormat = .protectedList, region: String? = nil
  ) throws -> ProtectionList {
    try ProtectionList(Data(text.utf8), as: format, region: region, named: "allow")
  }

  private func misp(_ list: [String], more: String = "") -> String {
    let entries = list.map { "\"\($0)\"" }.joined(separator: ",")
    return #"{"name":"Banks","version":20260101,"description":"Numbers of banks","list":[\#(entries)]\#(more)}"#
  }

  @Test func `lines and warning lists of MISP are read`() throws {
    let lines = try read("\u{FEFF}# banks\r\n+33199000248\tA bank\r\n\r\n+33 199 000 249\r\n+4930197*\tPolice\r\n")
    #expect(lines.targets.map(\.target.text) == ["+33199000248", "+33199000249", "+4930197*"])
    #expect(lines.targets.map(\.reason) == ["A bank", "allow", "Police"] && lines.refusals.isEmpty)
    let more = #","type":"string","matching_attributes":["phone-number","text"]"#
    let list = try read(misp(["+33199000248", "33199000248", "+3319900x"], more: more), .mispWarningList)
    #expect(list.targets.map(\.target.text) == ["+33199000248", "+3319900x"])
    #expect(list.targets.allSatisfy { $0.reason == "Numbers of banks" })
    let national = try read("01 99 00 02 48\n", region: "FR")
    #expect(national.targets.map(\.target.text) == ["+33199000248"])
  }

  @Test func `wide patterns and wrong entries are refused by name`() throws {
    let list = try read("+33199*\n+331xxxxxxxx\n+3319900*\nspam\n0199000248\n")
    #expect(list.targets.map(\.target.text) == ["+3319900*"])
    #expect(
      list.refusals.map { "\($0.place) \($0.error.rawValue)" } == [
        "1 too_wide_for_list", "2 too_wide", "4 not_a_number", "5 needs_region",
      ])
    for (text, format) in [
      ("{", SourceFormat.mispWarningList), (misp([], more: #","type":"cidr""#), .mispWarningList),
      (misp([], more: #","matching_attributes":["ip-src"]"#), .mispWarningList), ("{\"name\":\"x\"}", .mispWarningList),
    ] { #expect(throws: SourceFailure.self, "\(text)") { try read(text, format) } }
  }

  @Test func `a list has limits`() throws {
    let patterns = (0...ProtectionStore.maxPatternsOfSource).map { "+33199\(1_000 + $0)*\n" }.joined()
    let failure = #expect(throws: SourceFailure.self) { try read(patterns) }
    #expect(failure == .tooManyEntries(maximum: ProtectionStore.maxPatternsOfSource))
    let long = Data(repeating: 0x20, count: ProtectionList.maxBytes + 1)
    #expect(throws: SourceFailure.self) { try ProtectionList(long, as: .protectedList, named: "x") }
  }

  @Test func `a source that would free many listed numbers is refused until it is forced`() async throws {
    let stores = Stores(pool: TestDatabase.current.pool)
    let refresher = SourceRefresher(
      stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), subjects: SubjectTable(),
      folder: NSTemporaryDirectory())
    let list = try await stores.apps.source(named: "allow", at: now)
    let settings = Source.Settings(
      name: "allow", url: "http://127.0.0.1/list", format: .protectedList, every: 3_600, ceiling: .nothing)
    #expect(try await stores.sources.add(settings, as: list, by: .commandLine("Test"), at: now))
    let source = try #require(try await stores.sources.source(named: "allow"))
    let numbers = (0..<150).map { number + Int64($0) }
    try await TestDatabase.current.pool.execute(
      """
      INSERT INTO listings (number, category_id, serial, listed_at)
      SELECT n, 1, 1, \(now) FROM unnest(\(numbers)) AS t (n)
      """)
    try await withTemporaryFile("+331990002*\n+331990003*\nspam\n+33199000248\n") { path in
      await #expect(throws: SourceFailure.freesTooMany(listed: 150, maximum: 101)) {
        try await refresher.protect(path, of: source, at: now, force: false)
      }
      #expect(try await stores.protection.texts(of: source.id).isEmpty)
      let summary = try await refresher.protect(path, of: source, at: now, force: true)
      #expect(summary.entries == 3 && summary.added == 3 && summary.rejected.count == 1)
      #expect(try await stores.protection.rule(for: number) != nil)
      let version = try await stores.protection.version()
      _ = try await refresher.protect(path, of: source, at: now, force: false)
      #expect(try await stores.protection.version() == version)
    }
    // An emptied list does not free its numbers for listing.
    let many = (0..<120).map { "+3316300\(1_000 + $0)\n" }.joined()
    try await withTemporaryFile(many) { path in
      _ = try await refresher.protect(path, of: source, at: now, force: true)
    }
    try await withTemporaryFile("+33163001000\n") { path in
      await #expect(throws: SourceFailure.tooManyChanges(added: 0, removed: 119, former: 120, mostPercent: 50)) {
        try await refresher.protect(path, of: source, at: now, force: false)
      }
    }
    #expect(try await refresher.remove("allow", by: .commandLine("Test"), at: now))
    let left = try await stores.protection.counts()
    #expect(left.patterns == 0 && left.numbers == 0)
  }

  private func withTemporaryFile(_ text: String, _ body: (String) async throws -> Void) async throws {
    let path = "\(NSTemporaryDirectory())/\(UUID().uuidString)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
  }
}
