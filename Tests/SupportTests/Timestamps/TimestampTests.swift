// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

import Support

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
    // From the year 1 on. A prime step meets every month, day and hour.
    for second in stride(from: -62_135_596_800, to: 253_402_300_800, by: 12_670_003) {
      let text = Timestamp.format(second)
      #expect(Timestamp.parse(text)?.timeIntervalSince1970 == Double(second))
      #expect(Timestamp.document(text)?.timeIntervalSince1970 == Double(second))
    }
  }

  @Test(arguments: [
    ("0001-01-01T00:00:00Z", -62_135_596_800.0), ("1582-10-10T00:00:00Z", -12_219_724_800),
    ("1600-02-29T00:00:00Z", -11_670_998_400), ("1969-12-31T23:59:59Z", -1), ("9999-12-31T23:59:59Z", 253_402_300_799),
  ])
  func `the time of a document is in the proleptic Gregorian calendar`(text: String, seconds: Double) {
    #expect(Timestamp.document(text)?.timeIntervalSince1970 == seconds)
    #expect(Timestamp.format(Int(seconds)) == text)
  }

  @Test(arguments: [
    "0000-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "12026-11-22T01:10:00Z", "1500-02-29T00:00:00Z",
    "2016-12-31T23:59:60Z", "2026-11-22T01:10:00z", "2026-11-22t01:10:00Z", "2026-11-22 01:10:00Z",
    "2026-11-22T01:10:00.0Z", "2026-11-22T01:10:00+00:00", "2026-11-22T01:10:00", "2026-11-22", "",
  ])
  func `another form is no time of a document`(text: String) { #expect(Timestamp.document(text) == nil) }
}
