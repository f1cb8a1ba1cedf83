// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import PhoneNumbers
import Testing

/// Curation does not import CallerPack, so its recipes and ranges have limits of their own.
@Suite struct PackLimitTests {
  @Test func `recipes, ranges and numbers fit into packs`() {
    #expect(RangePattern.maxSize == Int64(PackLimits.entries))
    #expect(Recipe.extensionEntries == PackLimits.callDirectoryEntries)
    #expect(PhoneNumber.digitsRange == PackLimits.minNumber...PackLimits.maxNumber)
    #expect((4...PackLimits.labelBytes).contains(RecipeLabels().maxBytes))
  }
}
