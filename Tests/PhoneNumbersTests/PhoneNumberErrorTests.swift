// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

@Suite struct PhoneNumberErrorTests {
  static let codes: [(PhoneNumberError, String)] = [
    (.empty, "empty"), (.notANumber, "not_a_number"), (.tooShort, "too_short"), (.tooLong, "too_long"),
    (.notValid(region: "FR"), "not_valid"), (.notValid(region: nil), "not_valid"),
    (.shortOrEmergency(region: "FR"), "short_or_emergency"), (.shortOrEmergency(region: nil), "short_or_emergency"),
    (.unknownRegion("XX"), "unknown_region"), (.needsRegion, "needs_region"),
    (.unknownCallingCode, "unknown_calling_code"), (.placeholder, "placeholder"),
    (.mask(prefix: 33_199, free: 6), "mask"), (.severalNumbers, "several_numbers"), (.decimal, "decimal"),
  ]

  /// Clients depend on these codes, so they never change.
  @Test(arguments: codes)
  func `error codes are stable`(_ error: PhoneNumberError, _ code: String) {
    #expect(error.code == code)
  }

  @Test(arguments: codes)
  func `error descriptions are sentences`(_ error: PhoneNumberError, _ code: String) {
    #expect(error.description.hasSuffix("."))
    #expect(!error.description.contains("Optional"))
  }

  @Test func `a long region is cut in the error`() {
    #expect(
      reading("1", String(repeating: "X", count: 1_000)) == .failure(.unknownRegion(String(repeating: "X", count: 16))))
  }
}
