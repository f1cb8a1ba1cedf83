// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Curation

@Suite struct SourceFormatTests {
  @Test func `two formats protect their numbers`() {
    #expect(SourceFormat.allCases.filter(\.protects) == [.protectedList, .mispWarningList])
  }
}
