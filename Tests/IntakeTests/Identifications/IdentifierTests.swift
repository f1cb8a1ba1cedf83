// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Intake

@Suite struct IdentifierTests {
  @Test func `the fast UUID parser agrees with Foundation`() {
    for _ in 0..<1_000 {
      let id = UUID()
      #expect(UUID(hyphenated: id.uuidString) == id)
      #expect(UUID(hyphenated: id.uuidString.lowercased()) == id)
      // One changed byte: either both parse it, or neither.
      var text = Array(id.uuidString.utf8)
      text[Int.random(in: 0..<36)] = "0fFgG-/:@` ".utf8.randomElement()!
      let changed = String(decoding: text, as: UTF8.self)
      if let read = UUID(hyphenated: changed) { #expect(read == UUID(uuidString: changed)) }
    }
  }

  @Test(arguments: ["", "0f0e0d0c0b0a49088706050403020100", "0f0e0d0c-0b0a-4908-8706-05040302010", "é"])
  func `the fast UUID parser refuses any other text`(text: String) {
    #expect(UUID(hyphenated: text) == nil)
  }
}
