// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import TestData
import Testing

@testable import Importing

/// Lists and directories as public files have them: `data/field` of the real data, and the same forms in texts of our own.
@Suite struct FieldFileTests {
  private static let berlin: Int64 = 493_023_125_000

  private func numbers(_ endings: [Int64]) -> [Int64] { endings.map { Self.berlin + $0 } }

  private func read(
    _ path: String, _ format: SourceFormat = .csv, change: (inout SourceOptions) -> Void = { _ in }
  ) throws -> SourceContent {
    var options = SourceOptions()
    change(&options)
    return try SourceContent(path: path, format: format, options: options, isComplete: true, most: 1_000)
  }

  private func field(
    _ name: String, change: (inout SourceOptions) -> Void = { _ in }
  ) throws -> SourceContent {
    try read(try #require(Checkout.shared("data/field/\(name)")), change: change)
  }

  @Test(.sharedData("data/field/masks.csv")) func `masks are ranges and placeholders are refused`() throws {
    let content = try field("masks.csv")
    #expect(content.entries.map(\.number) == numbers(Array(123...130)))
    #expect(
      content.ranges.map(\.range.text) == [
        "+493023125xxx", "+4930231251xx", "+33199000xxx", "+1201555xxxx", "+120155501xx",
      ])
    #expect(content.rejected.count == 3)
  }

  @Test(.sharedData("data/field/comments.txt")) func `comments are no entries and no part of one`() throws {
    let content = try field("comments.txt") { $0.numberColumn = "1" }
    #expect(content.entries.map(\.number) == numbers([200, 202, 203, 205, 206]))
    #expect((content.rejected.rows, content.rejected.count) == (5, 0))
    // The first line that is no comment is a number, so that the file has no header.
    #expect(try field("comments.txt").entries.map(\.number) == numbers([200, 202, 203, 205, 206]))
  }

  @Test(.sharedData("data/field/several-in-a-cell.csv")) func `a cell may have several numbers`() throws {
    let content = try field("several-in-a-cell.csv")
    #expect(content.entries.map(\.number) == numbers([123, 124, 125, 128, 129] + Array(141...146)))
    #expect(content.rejected.count == 1)
  }

  @Test(.sharedData("data/field/decimal.csv", "data/field/decimal-national-de.csv"))
  func `decimals of spreadsheets are numbers and powers of ten are refused`() throws {
    let international = try field("decimal.csv")
    #expect(
      international.entries.map(\.number)
        == [12_015_550_123, 33_199_000_123, 442_079_460_123] + numbers(Array(123...130)))
    #expect(international.rejected.count == 0)
    let national = try field("decimal-national-de.csv") { $0.region = "DE" }
    #expect(national.entries.map(\.number) == numbers([123, 124, 125] + Array(128...136)))
    #expect(national.rejected.count == 2)
  }

  @Test(.sharedData("data/field/prefix-characters.csv")) func `signs around a number are removed`() throws {
    let content = try field("prefix-characters.csv")
    #expect(content.entries.map(\.number) == numbers(Array(123...139)))
    #expect(content.rejected.count == 0)
  }

  @Test(
    .sharedData("data/field/sep.csv", "data/field/utf16-without-mark.csv", "data/field/cr-only.csv"),
    arguments: ["sep.csv", "utf16-without-mark.csv", "cr-only.csv"])
  func `separators, encodings and line ends are recognized`(name: String) throws {
    let content = try field(name) { options in
      options.categoryColumn = "category"
      options.categories = ["fraud": "fraud"]
    }
    #expect(content.entries.map(\.number) == numbers([123, 124]))
    #expect(content.entries.allSatisfy { $0.category == .fraud })
  }

  @Test(
    .sharedData(
      "data/field/directory-semicolon.csv", "data/field/directory-windows-1252.csv",
      "data/field/directory-google-contacts.csv"))
  func `directories of the field are read`() async throws {
    func lines(_ name: String, _ region: String?) async throws -> [String] {
      try await DirectoryTrial("", region: region, path: Checkout.shared("data/field/\(name)")).lines
    }
    #expect(
      try await lines("directory-semicolon.csv", "FR") == ["33199000123 École A", "33199000124 Mairie B"])
    #expect(
      try await lines("directory-windows-1252.csv", nil) == ["493023125123 Café Müller", "493023125124 Bäcker"])
    #expect(
      try await lines("directory-google-contacts.csv", nil)
        == ["491713920001 Praxis A", "493023125123 Praxis A", "493023125124 Praxis A", "493023125125 Praxis B"])
  }

  @Test(
    arguments: [
      ("sep=|\r\nnumber|label\r\n+493023125123|x\r\n", [123]),
      ("\u{FEFF}\"sep=;\"\r\nnumber;label\r\n+493023125123;x\r\n", [123]),
      ("UTF-8\nnumber,label\n+493023125123,x\n", [123]),
      ("\u{FEFF}\"number\",\"label\"\n\"+493023125123\",\"x\"\n", [123]),
      ("number,label\n\"+493023125123\n+493023125124\",x\n+493023125125,y\n", [123, 124, 125]),
      ("number;label\n;+493023125123\n+493023125124;x\n", [124]),
      ("# a list\nnumber,label\n; +493023125122,x\n#+493023125123,x\n+493023125124,x\n", [124]),
      // Numbers in one line, as Fossify Phone has them.
      ("+493023125123,+493023125124,+493023125125", [123, 124, 125]),
      ("+493023125123\n+493023125124 # a remark\n", [123, 124]),
      ("Bescheid vom,number\n1.1.2026,03023125123|03023125124|03023125125\n", [123, 124, 125]),
    ] as [(String, [Int64])])
  func `lists of other forms are read`(_ text: String, _ endings: [Int64]) throws {
    let scratch = try Scratch()
    let content = try read(try scratch.file(text)) { $0.region = "DE" }
    #expect(content.entries.map(\.number) == numbers(endings))
  }

  @Test func `a line that is too long is named`() throws {
    let scratch = try Scratch()
    let path = try scratch.file(String(repeating: "n", count: 2 << 20))
    #expect(throws: SourceFailure.unreadable("line 1 is longer than 1048576 bytes")) { try read(path) }
    let message = ImportFileError.lineTooLong(path: "a.csv", line: 1, maximumBytes: 65_536).description
    #expect(message == "Line 1 of a.csv is longer than 65536 bytes. Write an entry in each line.")
  }

  private static let cards = """
    \u{FEFF}BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Praxis Dr\\, Müller\r\nCATEGORIES:health,berlin\r
    TEL;VALUE=uri;PREF=1;TYPE="voice,home":tel:+49-30-23125-123\r\nitem1.TEL:030 23125124\r
    TEL;TYPE=cell;TYPE=voice:+4930\r\n 23125125\r\nEND:VCARD\r
    BEGIN:VCARD\r\nVERSION:3.0\r\nORG:Amt;Abteilung\r\nITEMTEL491713920005.TEL;TYPE=WORK:+49 30 23125126\r\nEND:VCARD\r
    BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:B=C3=BCrger=\r\namt\r
    TEL;HOME:+493023125127\r\nTEL;CELL:*123#\r\nEND:VCARD\r
    BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Range\r\nTEL:+493023125*\r\nTEL:+493023125128;ext=4\r\nEND:VCARD\r\n
    """

  @Test func `contacts are read as a directory and as a list`() async throws {
    let trial = try await DirectoryTrial(Self.cards, region: "DE")
    #expect(
      trial.lines == [
        "493023125123 Praxis Dr, Müller", "493023125124 Praxis Dr, Müller", "493023125125 Praxis Dr, Müller",
        "493023125126 Amt Abteilung", "493023125127 Bürgeramt", "493023125128 Range",
      ])
    #expect(trial.entries[0].category == "health" && trial.summary.rejected == [.mask: 1, .placeholder: 1])
    let scratch = try Scratch()
    let list = try read(try scratch.file(Self.cards), .vCard) { options in
      options.region = "DE"
      options.categories = ["health": "fraud"]
    }
    #expect(list.entries.map(\.number) == numbers(Array(123...128)) && list.entries[0].category == .fraud)
    #expect(list.ranges.map(\.range.text) == ["+493023125*"] && list.rejected.count == 1)
    #expect(throws: SourceFailure.self) { try read(try scratch.file("number\n+493023125123\n"), .vCard) }
  }

  @Test func `an encoding that is not recognized is named`() async throws {
    let scratch = try Scratch()
    let bytes = Data("phone,name\n+493023125123,A\n+493023125124,".utf8) + [0xC0, 0xEF, 0xF2, 0xE5, 0xEA, 0xE0, 0x0A]
    let trial = try await DirectoryTrial("", region: nil, path: try scratch.file(bytes))
    #expect(trial.lines == ["493023125123 A"] && trial.summary.rejected == [.wrongEncoding: 1])
  }
}
