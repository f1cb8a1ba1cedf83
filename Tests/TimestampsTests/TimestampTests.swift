// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

import Timestamps

@Suite struct TimestampTests {
  private func seconds(_ text: String) -> Double? { Timestamp.read(text.utf8)?.timeIntervalSince1970 }

  @Test func `dates and times are parsed`() {
    #expect(seconds("1970-01-01") == 0)
    #expect(seconds("2020-02-29") == 1_582_934_400)
    #expect(seconds("2021-07-07 00:01:15") == 1_625_616_075)
    #expect(seconds("2021-07-07T02:01:15+02:00") == 1_625_616_075)
    #expect(seconds("2021-07-06t23:31:15.5-00:30") == 1_625_616_075.5)
    #expect(seconds("2016-12-31T23:59:60Z") == 1_483_228_799)
  }

  @Test(arguments: [
    "", "2021", "2021-13-01", "2021-02-29", "2021-00-10", "2021-01-00", "20210101", "2021-01-01T",
    "2021-01-01 24:00:00",
    "2021-01-01T00:00", "2021-01-01T00:00:00.Z", "2021-01-01T00:00:00+2", "2021-01-01T00:00:00Zx", "0x21-01-01",
    "２０２１-01-01", "2021-01-01T00:00:00+24:00",
  ])
  func `invalid dates are refused`(text: String) { #expect(seconds(text) == nil) }

  @Test func `an RFC 3339 time needs a zone`() {
    #expect(Timestamp.parse("2021-01-01T00:00:00") == nil)
    #expect(Timestamp.parse("2021-01-01") == nil)
    #expect(Timestamp.parse("2021-01-01T00:00:00Z") != nil)
  }

  @Test func `a formatted time parses to the same time`() {
    // A prime step meets every month, day and hour.
    for second in stride(from: 0, to: 253_402_300_800, by: 12_670_003) {
      let text = Timestamp.format(second)
      #expect(Timestamp.parse(text)?.timeIntervalSince1970 == Double(second))
    }
  }
}
