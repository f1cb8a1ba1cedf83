// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Importing

@Suite struct LineReaderTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func lines(_ bytes: some Sequence<UInt8>, cap: Int = 1 << 16) throws -> [LineReader.Line] {
    let reader = try LineReader(path: try scratch.file(bytes), maximumLineBytes: cap)
    var lines: [LineReader.Line] = []
    while let line = try reader.next() { lines.append(line) }
    #expect(reader.bytesRead == reader.totalBytes)
    return lines
  }

  private func texts(_ text: String) throws -> [String] { try lines(text.utf8).map(\.text) }

  @Test func `LF and CRLF end a line`() throws {
    #expect(try texts("") == [])
    #expect(try texts("\n") == [""])
    #expect(try texts("a") == ["a"])
    #expect(try texts("a\nb\n") == ["a", "b"])
    #expect(try texts("a\r\nb\r\n\r\nc") == ["a", "b", "", "c"])
    #expect(try texts("a\rb\n") == ["a\rb"])
    #expect(try lines("x\ny\n".utf8).map(\.number) == [1, 2])
  }

  @Test func `a byte order mark is removed only at the start`() throws {
    #expect(try texts("\u{FEFF}a\n\u{FEFF}b\n") == ["a", "\u{FEFF}b"])
  }

  @Test func `a line with invalid UTF-8 is repaired and marked`() throws {
    let found = try lines([0x61, 0x81, 0x62, 0x0A, 0x63, 0x0A])
    #expect(found.map(\.text) == ["a\u{FFFD}b", "c"])
    #expect(found.map(\.isRepaired) == [true, false])
  }

  @Test func `Windows-1252 is recognized, and encodings with most letters beyond ASCII are not`() {
    #expect(String.decoding([0x43, 0x61, 0x66, 0xE9, 0x20, 0x80]) == "Café €")
    // A word of Windows-1251.
    #expect(String.decoding([0xC0, 0xEF, 0xF2, 0xE5, 0xEA, 0xE0]) == nil)
    #expect(String.decoding([0x61, 0x90]) == nil)
  }

  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], [true, false])
  func `UTF-16 is converted with and without a mark`(_ encoding: String.Encoding, hasMark: Bool) throws {
    let text = "number;name\r\n" + String(repeating: "+493023125123;Müller 📞\r\n", count: 20_000)
    let bytes = try #require(((hasMark ? "\u{FEFF}" : "") + text).data(using: encoding))
    let found = try lines(bytes)
    #expect(found.count == 20_001 && found[0].text == "number;name")
    #expect(found.dropFirst().allSatisfy { $0.text == "+493023125123;Müller 📞" })
  }

  @Test func `a carriage return ends a line where nothing else does`() throws {
    #expect(try texts("number,category\r+493023125123,fraud\r") == ["number,category", "+493023125123,fraud"])
    #expect(try texts("a\rb\nc\r\n") == ["a\rb", "c"])
    #expect(try texts("a\r") == ["a"])
  }

  @Test(arguments: [10, 11, 12, 13, 300_000, 2_000_000]) func `a line over the limit is cut and marked`(length: Int)
    throws
  {
    let text = "before\n" + String(repeating: "x", count: length) + "\r\nafter\n"
    for bytes in [Array(text.utf8), gzip(text.utf8)] {
      let found = try lines(bytes, cap: 10)
      #expect(found.map(\.isTooLong) == [false, length > 10, false])
      #expect(found.map(\.text) == ["before", "xxxxxxxxxx", "after"])
    }
  }

  @Test func `gzip members are joined and padding is ignored`() throws {
    let parts = ["one\ntw", "o\n", "", "three"]
    var bytes = parts.flatMap { gzip($0.utf8) }
    #expect(try lines(bytes).map(\.text) == ["one", "two", "three"])
    bytes += [UInt8](repeating: 0, count: 512)
    #expect(try lines(bytes).map(\.text) == ["one", "two", "three"])
  }

  @Test func `many lines across buffers are read correctly`() throws {
    let expected = (0..<60_000).map { "line \($0) " + String(repeating: "é", count: $0 % 40) }
    let text = expected.joined(separator: "\n")
    #expect(try lines(text.utf8).map(\.text) == expected)
    #expect(try lines(gzip(text.utf8)).map(\.text) == expected)
  }

  @Test func `every truncation of a gzip file is an error`() throws {
    let whole = gzip((0..<200).map { "line \($0)\n" }.joined().utf8)
    for count in 3..<whole.count {
      #expect {
        _ = try lines(whole.prefix(count))
      } throws: {
        guard case ImportFileError.truncated = $0 else { return false }
        return true
      }
    }
  }

  @Test func `every damaged byte of a gzip body is an error`() throws {
    let whole = gzip((0..<200).map { "line \($0)\n" }.joined().utf8)
    for index in 10..<whole.count {
      var bytes = whole
      bytes[index] ^= 0x55
      #expect(throws: ImportFileError.self) { _ = try lines(bytes) }
    }
  }

  @Test func `data after the last gzip member is an error`() throws {
    #expect(throws: ImportFileError.self) { _ = try lines(gzip("a\n".utf8) + Array("garbage".utf8)) }
  }

  @Test func `other compressions and encodings are named in the error`() throws {
    for (magic, word) in [([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz")]
      as [([UInt8], String)]
    {
      #expect {
        _ = try lines(magic + [1, 2, 3])
      } throws: {
        "\($0)".contains(word)
      }
    }
  }

  @Test func `a missing file and a folder are refused`() throws {
    #expect(throws: ImportFileError.self) { _ = try LineReader(path: scratch.path("none")) }
    #expect(throws: ImportFileError.self) { _ = try LineReader(path: scratch.folder.path) }
  }
}
