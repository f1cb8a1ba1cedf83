// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Curation

@Suite struct CoarseTotalTests {
  @Test func `the total for apps is cut once, and not the sum of counts that were cut`() {
    var explanation = Explanation(number: 33_199_005, time: Date(timeIntervalSince1970: 1_795_000_000))
    explanation.weights = Explanation.Weights(full: 19, partial: 19, new: 0, none: 19)
    // 57 reporters: 10 + 10 + 10 would be 30.
    #expect(explanation.coarse.totals.reporters == 50 && explanation.totals.reporters == 57)
  }

  @Test(arguments: ["A1B2C3D4E5.org example", "A1B2C3D4E5.org.exämple", "A1B2C3D4E5.a\n"])
  func `an identifier of a build has no spaces`(text: String) {
    #expect(!AttestationPolicy.isAppID(text) && AttestationPolicy.isAppID("A1B2C3D4E5.org.example-1"))
    var policy = AttestationPolicy()
    let digest = String(repeating: "0f", count: 32)
    #expect(!policy.add(android: "\(text)=\(digest)") && policy.add(android: "org.example_1.app=\(digest)"))
  }
}
