// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Importing
@testable import Storage

/// An import whose store is an array.
struct DirectoryTrial {
  var summary: DirectorySummary
  var entries: [StoredDirectoryEntry]

  init(
    _ text: String, region: String? = "US", path: String? = nil, runBytes: Int = 1 << 20, workers: Int = 2,
    change: (inout DirectoryOptions) -> Void = { _ in }
  ) async throws {
    let scratch = try Scratch()
    var options = DirectoryOptions(
      path: try path ?? scratch.file(text), region: region, temporaryFolder: scratch.folder.path)
    options.runBytes = runBytes
    options.workers = workers
    change(&options)
    let taken = Mutex<[StoredDirectoryEntry]>([])
    summary = try await DirectoryImport(options: options).run { next in
      while true {
        let batch = try await next()
        if batch.isEmpty { break }
        taken.withLock { taken in
          batch.forEach { row, name, category in
            taken.append(
              StoredDirectoryEntry(
                number: row.number, mentions: row.mentions, name: String(decoding: name, as: UTF8.self),
                category: category.isEmpty ? nil : String(decoding: category, as: UTF8.self)))
          }
        }
      }
      return DirectoryChange(entries: taken.withLock { $0.count }, replaced: 0, overruled: 0)
    }
    entries = taken.withLock { $0 }
  }

  /// `number name` lines.
  var lines: [String] { entries.map { "\($0.number) \($0.name)" } }
}

@Suite struct DirectoryParsingTests {
  @Test func `columns are found by their usual names in CSV and TSV`() async throws {
    let csv = try await DirectoryTrial(
      "\u{FEFF}id,Telephone No,Telephone_No_2,Name,Category\n1,(212) 555-0123,na,\"Zoé, Inc.\",shop/cake\n")
    #expect(csv.entries == [StoredDirectoryEntry(number: 12_125_550_123, name: "Zoé, Inc.", category: "shop/cake")])
    #expect(csv.summary.badNumbers == 0)
    let tsv = try await DirectoryTrial("phone\tname\n+33199000248\tA \"quoted\" name\n", region: nil)
    #expect(tsv.lines == ["33199000248 A \"quoted\" name"])
  }

  @Test func `columns can be chosen by name or position`() async throws {
    let byName = try await DirectoryTrial("a,b,c\n2125550123,x,GB\n") {
      $0.columns.numbers = ["A"]
      $0.columns.name = "b"
    }
    #expect(byName.lines == ["12125550123 x"])
    let byPlace = try await DirectoryTrial("x,2125550123\ny,2125550124,more\n") {
      $0.columns.numbers = ["2"]
      $0.columns.name = "1"
      $0.hasHeader = false
    }
    #expect(byPlace.lines == ["12125550123 x", "12125550124 y"])
    await #expect(throws: ImportFileError.self) { try await DirectoryTrial("a,b\n1,2\n") }
    await #expect(throws: ImportFileError.self) { try await DirectoryTrial("phone,nombre\n1,2\n") }
  }

  @Test func `a row may name its own region`() async throws {
    let trial = try await DirectoryTrial(
      "phone,name,country_code\n020 7183 8750,London,GB\n2125550123,New York,\n01 99 00 02 48,Paris,fr\n5,x,XX\n")
    #expect(trial.lines == ["12125550123 New York", "33199000248 Paris", "442071838750 London"])
    #expect(trial.summary.rejected == [.badRegion: 1])
  }

  @Test func `a cell may contain several numbers`() async throws {
    let trial = try await DirectoryTrial(
      """
      phone,name
      212-555-0123; 212-555-0124,semicolon
      "212-555-0125, 212-555-0126",comma
      212-555-0127 / 212-555-0128,slash
      "030/12345678;+49 30 23125 555",berlin
      212-555-0129;garbage,half
      garbage;,none
      n/a,nothing
      212 555 0130 (Secondary),remark
      """, region: "US")
    #expect(
      trial.lines == [
        "12125550123 semicolon", "12125550124 semicolon", "12125550125 comma", "12125550126 comma", "12125550127 slash",
        "12125550128 slash", "12125550129 half", "12125550130 remark", "493023125555 berlin",
      ])
    #expect(trial.summary.rejected == [.notANumber: 1, .emptyNumber: 1])
    #expect(trial.summary.badNumbers == 2)
    let german = try await DirectoryTrial("phone,name\n030/12345678,Berlin\n", region: "DE")
    #expect(german.lines == ["493012345678 Berlin"])
  }

  @Test func `the most frequent name is kept, then the first one`() async throws {
    let trial = try await DirectoryTrial(
      "phone,name\n2125550123,B\n2125550123,A\n2125550123,A\n2125550124,D\n2125550124,C\n", runBytes: 1)
    #expect(trial.lines == ["12125550123 A", "12125550124 D"])
    #expect(trial.entries.map(\.mentions) == [2, 1])
    #expect(trial.summary.conflicts == 2)
    #expect(trial.summary.outvotedRows == 2)
    #expect(
      trial.summary.examples == [
        .init(number: 12_125_550_123, kept: "A", other: "B", names: 2),
        .init(number: 12_125_550_124, kept: "D", other: "C", names: 2),
      ])
  }

  @Test func `rejected rows are in the order of their lines`() async throws {
    let scratch = try Scratch()
    let rows = (0..<20_000).map { $0 % 100 == 0 ? "12\tbad \($0)" : "212555\(String(format: "%04d", $0 % 10_000))\tok" }
    let trial = try await DirectoryTrial("phone\tname\n" + rows.joined(separator: "\n")) {
      $0.rejectsPath = scratch.path("rejects")
    }
    #expect(trial.summary.rows == 20_000)
    #expect(trial.summary.rejected == [.tooShort: 200])
    #expect(trial.summary.rejects.examples.map(\.reason) == Array(repeating: "too_short", count: 5))
    let lines = try String(contentsOfFile: scratch.path("rejects"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 200)
    #expect(lines[1] == "102\ttoo_short\t12\\tbad 100")
    #expect(lines.compactMap { Int($0.prefix { $0 != "\t" }) } == stride(from: 2, to: 20_002, by: 100).map { $0 })
  }

  @Test(arguments: [
    ("  Two  \t spaces\r", "Two spaces"), ("evil\u{202E}txt.exe\u{202C}", "eviltxt.exe"), ("a\u{0}b\u{7}c", "a b c"),
    ("cafe\u{301}", "café"), ("ООО «Ромашка»", "ООО «Ромашка»"), ("شركة\u{200F} النور", "شركة النور"),
    ("नमस्\u{200D}ते", "नमस्\u{200D}ते"), ("\u{FEFF}\u{200B}", ""), ("👩\u{200D}👧", "👩\u{200D}👧"), ("", ""),
    ("plain", "plain"),
  ])
  func `names are normalized`(raw: String, clean: String) {
    let bytes = Array(raw.utf8)
    #expect(bytes.withUnsafeBufferPointer { NameCleaner.cleaned($0, limit: 400) } == Array(clean.utf8))
  }

  /// A zero-width space is removed, and forces the slow path for every letter of a name.
  @Test func `the fast path gives the same names as the slow path`() {
    var random = SeededGenerator(seed: 61)
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0xA0...0x17F, 0xC0...0x27F, 0x300...0x30F, 0x400...0x47F, 0x480...0x52F, 0x4000...0x9FFF,
      0x3041...0x3100, 0xAC00...0xAD00,
    ]
    for _ in 0..<20_000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let range = ranges.prefix(Int.random(in: 1...ranges.count, using: &random)).randomElement(using: &random)!
        scalars.append(Unicode.Scalar(UInt32.random(in: range, using: &random))!)
      }
      let (quick, thorough) = (Array(String(scalars).utf8), Array((String(scalars) + "\u{200B}").utf8))
      #expect(
        quick.withUnsafeBufferPointer { NameCleaner.cleaned($0, limit: 400) }
          == thorough.withUnsafeBufferPointer { NameCleaner.cleaned($0, limit: 400) }, "\(quick)")
    }
  }

  @Test func `long names are cut between characters`() {
    let bytes = Array(String(repeating: "é", count: 300).utf8)
    let cut = bytes.withUnsafeBufferPointer { NameCleaner.cleaned($0, limit: 401) }
    #expect(cut == Array(String(repeating: "é", count: 200).utf8))
  }
}
