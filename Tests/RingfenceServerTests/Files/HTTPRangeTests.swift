// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer

/// RFC 9110, section 14.1.2 and 14.2.
struct HTTPRangeTests {
  @Test(arguments: [
    ("bytes=0-0", 0..<1), ("bytes=0-9", 0..<10), ("bytes=3-5", 3..<6), ("bytes=9-9", 9..<10),
    // Open-ended, and past the end.
    ("bytes=0-", 0..<10), ("bytes=9-", 9..<10), ("bytes=5-100", 5..<10), ("bytes=0-9223372036854775807", 0..<10),
    ("bytes=0-99999999999999999999999999", 0..<10),
    // Suffixes.
    ("bytes=-1", 9..<10), ("bytes=-10", 0..<10), ("bytes=-11", 0..<10),
    ("bytes=-99999999999999999999999999", 0..<10),
    // All spellings that the grammar allows.
    ("BYTES=1-2", 1..<3), ("bytes= 1-2", 1..<3), ("bytes=,1-2", 1..<3), ("bytes=1-2 ,, ", 1..<3),
    ("bytes=\t007-008\t", 7..<9),
  ])
  func `a valid range gives its part`(_ field: String, expected: Range<Int>) {
    #expect(HTTPRange(field, length: 10) == .part(expected))
  }

  @Test(arguments: [
    "bytes=10-", "bytes=10-10", "bytes=11-20", "bytes=-0", "bytes=-000", "bytes=99999999999999999999999999-",
    "bytes=9223372036854775806-9223372036854775807",
  ])
  func `a range beyond the end is not satisfiable`(_ field: String) {
    #expect(HTTPRange(field, length: 10) == .notSatisfiable)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=-", "bytes=,", "bytes=a-b", "bytes=1-b", "bytes=5-4", "bytes=1--2", "bytes=--1",
    "bytes=1-2-3", "bytes=+1-2", "bytes=1 - 2", "bytes=1", "bytes=0x1-2", "bytes:0-1", "bytes=1-２",
    // Other units and several ranges: the complete file is a valid response.
    "items=0-1", "byte=0-1", "bytes =0-1", "bytes=0-1,3-4", "bytes=0-1, bytes=3-4", "bytes=0-1,x", "bytes=99-,0-1",
  ])
  func `an invalid or absent range gives the complete file`(_ field: String) {
    #expect(HTTPRange(field, length: 10) == .whole)
  }

  @Test func `an empty file has no parts`() {
    #expect(HTTPRange("bytes=0-", length: 0) == .notSatisfiable)
    #expect(HTTPRange("bytes=0-0", length: 0) == .notSatisfiable)
    #expect(HTTPRange("bytes=-0", length: 0) == .notSatisfiable)
    #expect(HTTPRange("bytes=-5", length: 0) == .whole)
  }

  /// Every range of small files, compared with the definition.
  @Test func `every small range agrees with the definition`() {
    for length in 0...5 {
      for first in 0...6 {
        for last in 0...6 {
          let asked = Set(first <= last ? Array(first...last) : [])
          let expected = asked.intersection(0..<length)
          switch HTTPRange("bytes=\(first)-\(last)", length: length) {
          case .whole: #expect(first > last)
          case .part(let part): #expect(Set(part) == expected && !part.isEmpty)
          case .notSatisfiable: #expect(first <= last && expected.isEmpty)
          }
        }
      }
    }
  }
}
