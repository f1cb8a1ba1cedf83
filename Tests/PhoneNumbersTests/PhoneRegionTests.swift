// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

@Suite struct PhoneRegionTests {
  @Test func `supported regions are sorted and have calling codes`() {
    #expect(PhoneRegion.all.count >= 240)
    #expect(PhoneRegion.all == PhoneRegion.all.sorted())
    #expect(Set(PhoneRegion.all).count == PhoneRegion.all.count)
    #expect(PhoneRegion("fr")?.callingCode == 33)
    #expect(PhoneRegion("VA")?.callingCode == 39)
    #expect(PhoneRegion.isSupported("US"))
  }

  @Test(arguments: ["", "F", "FRA", "UK", "ZZ", "001", "33", "F\u{0}", "ſı", "🇫🇷"])
  func `an unsupported region is refused`(_ code: String) {
    #expect(PhoneRegion(code) == nil)
  }

  @Test func `short numbers are classified in each region`() throws {
    let us = try #require(PhoneRegion("US"))
    let fr = try #require(PhoneRegion("FR"))
    #expect(ShortNumber("911", region: us) == .emergency)
    #expect(ShortNumber("112", region: fr) == .emergency)
    #expect(ShortNumber("911", region: fr) == nil)
    #expect(ShortNumber("9111", region: us) != .emergency)
    #expect(ShortNumber("118 218", region: fr) == .short)
    #expect(ShortNumber("6502530000", region: us) == nil)
    #expect(ShortNumber("", region: us) == nil)
    #expect(ShortNumber("911\u{0}", region: us) == nil)
    #expect(ShortNumber(String(repeating: "9", count: 1_000), region: us) == nil)
  }
}
