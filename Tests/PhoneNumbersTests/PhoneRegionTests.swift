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
}
