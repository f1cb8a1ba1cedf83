// SPDX-License-Identifier: Apache-2.0

import Curation
import Testing

/// The precision of a source, and the bound below which it is suspended.
@Suite struct SourcePrecisionTests {
  @Test func `the precision is the share of confirmed numbers`() {
    #expect(SourcePrecision().share == nil)
    #expect(SourcePrecision(confirmed: 3, wrong: 1).share == 0.75)
  }

  @Test(arguments: [
    (0, 9, false), (0, 10, true), (1, 9, true), (2, 8, false), (5, 5, false), (40, 60, true), (41, 59, false),
    (10, 0, false),
  ])
  func `few decisions and a precision that may be a half suspend nothing`(confirmed: Int, wrong: Int, isLow: Bool) {
    #expect(SourcePrecision(confirmed: confirmed, wrong: wrong).isTooLow == isLow)
  }

  @Test func `the upper bound is that of Wilson`() {
    // (p + z²/2n + z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n) for p = 0.1 and n = 10.
    #expect(abs(Confidence.wilsonUpperBound(toxic: 1, legitimate: 9) - 0.404_156) < 0.000_001)
    #expect(Confidence.wilsonUpperBound(toxic: 0, legitimate: 0) == 1)
  }
}
