// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HTTPServer

struct HTTPDateTests {
  private let example = Date(timeIntervalSince1970: 784_111_777)

  @Test func `all three HTTP date formats are parsed`() {
    #expect(HTTPDate.format(example) == "Sun, 06 Nov 1994 08:49:37 GMT")
    for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
      #expect(HTTPDate.parse(text) == example)
    }
  }

  @Test func `a two-digit year is at most 50 years ahead`() {
    let now = Date(timeIntervalSince1970: 1_764_000_000)
    #expect(HTTPDate.parse("Monday, 01-Jan-75 00:00:00 GMT", now: now).map(HTTPDate.format)?.contains("2075") == true)
    #expect(HTTPDate.parse("Monday, 01-Jan-76 00:00:00 GMT", now: now).map(HTTPDate.format)?.contains("1976") == true)
  }

  @Test(arguments: [
    "", "0", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT ",
  ])
  func `an invalid HTTP date is refused`(_ text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test func `a formatted HTTP date parses to the same time`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<1_000 {
      let time = Date(timeIntervalSince1970: TimeInterval(Int.random(in: 0..<8_000_000_000, using: &generator)))
      #expect(HTTPDate.parse(HTTPDate.format(time)) == time)
    }
  }
}
