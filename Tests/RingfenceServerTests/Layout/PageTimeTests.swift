// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HTTPServer
@testable import ModerationSite

/// Tests times on pages.
@Suite struct PageTimeTests {
  @Test func `a time is written for machines and for the reader`() throws {
    let catalog = try MessageCatalog(folder: Checkout.texts)
    let time = PageTime(Date(timeIntervalSince1970: 1_795_000_000), catalog[.english])
    #expect(time.datetime == "2026-11-18T11:06:40Z")
    #expect(time.text == "18\u{A0}November\u{A0}2026, 11:06\u{A0}UTC")
    #expect(
      PageTime(Date(timeIntervalSince1970: 1_795_000_000), catalog[.russian]).text
        == "18\u{A0}ноября\u{A0}2026, 11:06\u{A0}UTC")
  }
}
