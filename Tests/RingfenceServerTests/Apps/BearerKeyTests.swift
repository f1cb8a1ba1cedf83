// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import API
@testable import HTTPServer
@testable import Localization
@testable import ModerationSite
@testable import RingfenceServer

@Suite struct BearerKeyTests {
  @Test(
    arguments: [
      "Bearer rf_x": "rf_x", "bearer rf_x": "rf_x", "BEARER   rf_x \t": "rf_x", "Bearer rf_x y": "rf_x y",
      "Bearer ": nil, "Bearer": nil, "": nil, "Basic rf_x": nil, "Bearer\trf_x": nil, "Bearer  ": "",
    ] as [String: String?])
  func `reads the key of a bearer header`(header: String, key: String?) {
    #expect(BearerKey.key(ofBearer: header) == key)
  }

  @Test func `ignores a header that is too long`() {
    #expect(BearerKey.key(ofBearer: "Bearer " + String(repeating: "x", count: 250)) == nil)
  }
}
