// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestData
import Testing

@testable import PackFormats
import PackDatabases

/// The formats of apps and boxes, each read as its program reads it.
@Suite struct ClientFormatTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private func write(_ list: [ListEntry], _ format: ListFormat) throws -> (bytes: Data, summary: ExportSummary) {
    var options = ExportOptions()
    (options.listName, options.serial, options.time) = ("Ringfence \"toxic\"", 812, 1_795_132_800)
    let file = scratch["list"]
    let summary = try format.writer(to: .file(file), options: options).write(list)
    return (try Data(contentsOf: file), summary)
  }

  private func text(_ list: [ListEntry], _ format: ListFormat) throws -> String {
    String(decoding: try write(list, format).bytes, as: UTF8.self)
  }

  private let small = [
    ListEntry(number: 12_015_550_123, label: "Fraud", blocks: true),
    ListEntry(number: 12_015_550_124, label: "A shop", blocks: false),
    ListEntry(number: 33_199_000_248, label: "Sales, energy", blocks: true),
    ListEntry(number: 33_199_000_250, blocks: true),
  ]

  @Test(arguments: ListFormat.allCases.drop { $0 != .fritzbox })
  func `a block list omits numbers that only identify and numbers that have left`(format: ListFormat) throws {
    var removed = ListEntry(number: 33_199_000_300, blocks: false)
    removed.isRemoved = true
    let (bytes, summary) = try write(small + [removed], format)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("12015550124") && !text.contains("A shop"))
    #expect(text.contains("33199000300") == (format == .spamblockerXML))
    #expect(summary.written == (format == .spamblockerXML ? 4 : 3))
    #expect(summary.notBlocking == (format == .spamblockerXML ? 1 : 2))
  }

  @Test func `extensions of formats differ`() {
    #expect(Set(ListFormat.allCases.map(\.fileExtension)).count == ListFormat.allCases.count)
  }

  @Test func `CSV for SpamBlocker has its header, LF and no empty line`() throws {
    #expect(
      try text(small, .spamblocker)
        == "pattern,description\n12015550123,Fraud\n33199000248,\"Sales, energy\"\n33199000250,")
    let hostile = [ListEntry(number: 5, label: "a\"b\r\nc,\u{2028}", blocks: true)]
    #expect(try text(hostile, .spamblocker) == "pattern,description\n5,\"a'b  c, \"")
    #expect(try text([], .spamblocker) == "pattern,description")
  }

  @Test func `XML for SpamBlocker is read with its XPath expression`() throws {
    var removed = ListEntry(number: 33_199_000_300, blocks: false)
    removed.isRemoved = true
    let hostile = ListEntry(number: 33_199_000_400, label: "<&\"'\u{0}\u{FFFF}>", blocks: true)
    _ = try write(small + [removed, hostile], .spamblockerXML)
    let script = """
      import json, sys, xml.etree.ElementTree as tree
      root = tree.parse(sys.argv[1]).getroot()
      assert root.tag == 'l' and root.get('v') == '812'
      numbers = root.findall('n')
      json.dump([n.get('p') for n in numbers if int(n.get('votes')) > 4]
        + ['-' + n.get('p') for n in numbers if n.get('votes') == '0'], sys.stdout)
      """
    let found = try Python.run(script, scratch["list"].path, as: [String].self)
    #expect(found == ["12015550123", "33199000248", "33199000250", "33199000400", "-33199000300"])
  }

  @Test func `the keys of PBBL are those of PhoneBlock`() throws {
    #expect(PhoneBlockBinaryList.key(12_015_550_123) == 0x21_e154_823d_9496)
    #expect(PhoneBlockBinaryList.key(493_023_125_001) == 0x58_330e_1ac8_4a54)
    #expect(PhoneBlockBinaryList.key(4_930_231_255) == 0x58_330e_1b4c_8ba4)
    #expect(PhoneBlockBinaryList.key(999_999_999_999_999) < 1 << 56)
    let (bytes, _) = try write([ListEntry(number: 12_015_550_123, blocks: true)], .pbbl)
    let expected: [UInt8] = [
      0x50, 0x42, 0x42, 0x4c, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x96, 0x94, 0x3d, 0x82, 0x54, 0xe1, 0x21,
    ]
    #expect([UInt8](bytes) == expected)
    #expect(try write([], .pbbl).bytes.count == 16)
  }

  @Test func `PBBL with prefixes and allowed numbers is PhoneBlock's example`() {
    var file = PhoneBlockBinaryList()
    file.append(493_023_125_001, blocks: false)
    file.append(12_015_550_123)
    file.append(prefix: 4_930_231_255)
    var bytes: [UInt8] = []
    file.encode(into: &bytes)
    #expect(
      bytes == [
        0x50, 0x42, 0x42, 0x4c, 0x01, 0x00, 0x00, 0x04, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
        0x01, 0x96, 0x94, 0x3d, 0x82, 0x54, 0xe1, 0x21, 0x00, 0x54, 0x4a, 0xc8, 0x1a, 0x0e, 0x33, 0x58,
        0x01, 0xa4, 0x8b, 0x4c, 0x1b, 0x0e, 0x33, 0x58,
      ])
  }

  @Test func `records of PBBL ascend by digits and not by value`() throws {
    let list = SampleLists.mixed(2_000, seed: 40)
    _ = try write(list, .pbbl)
    let script = """
      import json, struct, sys
      data = open(sys.argv[1], 'rb').read()
      magic, version, lengths, exact, prefixes = struct.unpack('<4sHHII', data[:16])
      assert (magic, version, lengths, prefixes) == (b'PBBL', 1, 0, 0) and len(data) == 16 + 8 * exact
      records = struct.unpack('<%dQ' % exact, data[16:])
      assert list(records) == sorted(set(records))
      numbers = []
      for record in records:
        assert record & 255 == 1
        key, symbols = record >> 8, []
        for _ in range(16):
          symbols.append(key % 11)
          key //= 11
        text = ''.join(str(s - 1) if s else ' ' for s in reversed(symbols))
        assert key == 0 and text == text.rstrip().ljust(16) and ' ' not in text.rstrip()
        numbers.append(int(text))
      json.dump(numbers, sys.stdout)
      """
    let numbers = try Python.run(script, scratch["list"].path, as: [Int64].self)
    #expect(numbers.sorted() == list.filter(\.blocks).map(\.number))
  }

  @Test func `CSV for Tranquille has its columns`() throws {
    #expect(
      try text(small, .tranquille)
        == """
        ID,name,pattern,creationTimestamp,numberOfCalls,lastCallTimestamp
        ,Fraud,+12015550123,1795132800000,0,
        ,"Sales, energy",+33199000248,1795132800000,0,
        ,Nuisance call,+33199000250,1795132800000,0,

        """)
  }

  private struct Blocklist: Decodable {
    struct Entry: Decodable {
      let number: String
      let name: String
      let date_created: String
      let date_modified: String
    }
    let name: String
    let entries: [Entry]
  }

  @Test func `callblocker gets no number that begins many others`() throws {
    let list = [ListEntry(number: 110, blocks: true), ListEntry(number: 999_999, blocks: true)] + small
    let (bytes, summary) = try write(list, .callblocker)
    let found = try JSONDecoder().decode(Blocklist.self, from: bytes)
    #expect(found.name == "Ringfence \"toxic\"")
    #expect(found.entries.map(\.number) == ["+12015550123", "+33199000248", "+33199000250"])
    #expect(found.entries.map(\.name) == ["Fraud", "Sales, energy", "Nuisance call"])
    #expect(found.entries[0].date_created == "2026-11-20 00:00:00 +0000")
    #expect(found.entries.allSatisfy { $0.date_created == $0.date_modified })
    #expect(summary.unsuitable == 2)
    let long = try write(
      [ListEntry(number: 12_015_550_123, label: String(repeating: "ü\"", count: 200), blocks: true)], .callblocker)
    #expect(try JSONDecoder().decode(Blocklist.self, from: long.bytes).entries[0].name.unicodeScalars.count == 200)
    #expect(long.summary.altered == 1)
    #expect(try JSONDecoder().decode(Blocklist.self, from: write([], .callblocker).bytes).entries.isEmpty)
  }

  private struct Patterns: Decodable {
    struct Pattern: Decodable, Equatable {
      let name: String
      let action: String
      let pattern: String
    }
    let version: String
    let name: String
    let patterns: [Pattern]
  }

  @Test func `Saracroche gets a pattern for a range`() throws {
    let range = (33_199_000_000...33_199_000_999).map { ListEntry(number: $0, label: "Sales", blocks: true) }
    let more = (33_199_001_000...33_199_001_012).map { ListEntry(number: $0, label: "Sales", blocks: true) }
    let (bytes, summary) = try write(range + more, .saracroche)
    let found = try JSONDecoder().decode(Patterns.self, from: bytes)
    #expect(found.version == "812" && summary.written == 1_013)
    #expect(
      found.patterns.map(\.pattern) == ["33199000###", "3319900100#", "33199001010", "33199001011", "33199001012"])
    #expect(found.patterns.allSatisfy { $0.name == "Sales" && $0.action == "block" })
  }

  @Test func `patterns for Saracroche are exactly the numbers of the list`() throws {
    var generator = SeededGenerator(seed: 41)
    var list: [ListEntry] = []
    var number: Int64 = 33_199_000_000
    for _ in 0..<60 {
      number += Int64.random(in: 1...300, using: &generator)
      let label = Bool.random(using: &generator) ? "Sales" : "Fraud"
      for _ in 0..<Int.random(in: 1...250, using: &generator) {
        list.append(ListEntry(number: number, label: label, blocks: true))
        number += 1
      }
    }
    let found = try JSONDecoder().decode(Patterns.self, from: write(list, .saracroche).bytes)
    let expanded = found.patterns.flatMap { pattern -> [String] in
      let free = pattern.pattern.filter { $0 == "#" }.count
      let count = (0..<free).reduce(1) { product, _ in product * 10 }
      let first = Int64(pattern.pattern.replacing("#", with: "0"))!
      return (0..<Int64(count)).map { "\(first + $0) \(pattern.name)" }
    }
    #expect(expanded == list.map { "\($0.number) \($0.label ?? "")" })
    #expect(found.patterns.count < list.count / 3)
    #expect(try JSONDecoder().decode(Patterns.self, from: write([], .saracroche).bytes).patterns.isEmpty)
  }

  @Test func `numbers for Fossify have commas between them and nothing else`() throws {
    #expect(try text(small, .fossify) == "+12015550123,+33199000248,+33199000250")
    #expect(try text([], .fossify).isEmpty)
  }

  @Test func `a compressed file has the same content and always the same bytes`() throws {
    let (bytes, _) = try write(SampleLists.printable(5_000, seed: 42), .spamblocker)
    for name in ["a.gz", "b.gz"] { try GzipFile.compress(scratch["list"], to: scratch[name]) }
    let script = "import gzip, json, sys; json.dump(len(gzip.open(sys.argv[1]).read()), sys.stdout)"
    #expect(try Python.run(script, scratch["a.gz"].path, as: Int.self) == bytes.count)
    #expect(try Data(contentsOf: scratch["a.gz"]) == Data(contentsOf: scratch["b.gz"]))
  }
}
