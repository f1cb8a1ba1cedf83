// SPDX-License-Identifier: Apache-2.0

import Curation
import Testing

@Suite struct ConfidenceTests {
  /// Published values of the interval, z = 1.96.
  @Test(arguments: [(1.0, 0.0, 0.2065), (10, 0, 0.7225), (9, 1, 0.5958), (50, 50, 0.4038), (0, 10, 0.0)])
  func `the lower bound agrees with published values`(toxic: Double, legitimate: Double, bound: Double) {
    #expect(abs(Confidence.wilsonLowerBound(toxic: toxic, legitimate: legitimate) - bound) < 5e-4)
  }

  @Test func `no votes give no confidence`() {
    #expect(Confidence.wilsonLowerBound(toxic: 0, legitimate: 0) == 0)
    #expect(Confidence.wilsonLowerBound(toxic: -1e-18, legitimate: 0) == 0)
  }
}
