// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import API
@testable import HTTPServer

@Suite struct BearerKeyTests {
  @Test(
    arguments: [
      "Bearer rf_x": "rf_x", "bearer rf_x": "rf_x", "BEARER   rf_x \t": "rf_x", "Bearer rf_x y": "rf_x y",
      "Bearer rf_x\u{A0}": "rf_x", "Bearer \u{2009}rf_x\r\n": "rf_x", "Bearer ": nil, "Bearer": nil, "": nil,
      "Basic rf_x": nil, "Bearer\trf_x": nil, "Bearer  ": "",
    ] as [String: String?])
  func `reads the key of a bearer header`(header: String, key: String?) {
    #expect(BearerKey.key(ofBearer: header) == key)
  }

  @Test(arguments: ["rf_x", " rf_x", "rf_x ", "rf_x\n", "\u{A0}rf_x\t\r\n"])
  func `white space around a password is no part of it`(password: String) {
    let login = Data("phone: \(password)".utf8)
    let field = "Basic \(Data("phone:\(password)".utf8).base64EncodedString())"
    #expect(ClientKey.password(ofBasic: field) == "rf_x")
    #expect(ClientKey.password(ofBasic: "Basic \(login.base64EncodedString())") == "rf_x")
  }

  @Test func `ignores a header that is too long`() {
    #expect(BearerKey.key(ofBearer: "Bearer " + String(repeating: "x", count: 250)) == nil)
  }
}
