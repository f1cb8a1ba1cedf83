// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PageTemplates
import TestSupport
import Testing

@testable import Storage
@testable import API
@testable import HTTPServer
@testable import Localization
@testable import ModerationSite
@testable import RingfenceServer

/// Values with their own template value give the same value as the compiler's encoding.
@Suite struct HotValuesTests {
  @Test func `values with their own encoding equal the generated encoding`() throws {
    let catalog = try MessageCatalog(folder: Checkout.texts)
    let time = PageTime(Date(timeIntervalSince1970: 1_795_000_000), catalog[.english])
    #expect(time.datetime == "2026-11-18T11:06:40Z")
    #expect(time.text == "18\u{A0}November\u{A0}2026, 11:06\u{A0}UTC")
    #expect(
      PageTime(Date(timeIntervalSince1970: 1_795_000_000), catalog[.russian]).text
        == "18\u{A0}ноября\u{A0}2026, 11:06\u{A0}UTC")
    try check(time)
    try check(HiddenField(name: "a", value: "<b>"))
    try check(PageLayout.Entry(address: "/x", name: "Queue", isCurrent: true, count: "3"))
    try check(QueueList.Choice(value: "DE", name: "Germany (3)", isChosen: false))
    try check(
      NumberRow(
        SearchHit(
          number: 33_162_000_248, reports: 12, lastReportedAt: Date(timeIntervalSince1970: 1_795_000_000),
          listedAs: .fraud, isBlocked: true, decision: .block, label: "<Prizes>", isHeld: true, hasAppeal: false),
        try MessageCatalog(folder: Checkout.texts)[.english]))
    let cause = QueueList.Cause(cause: "held", name: "Held")
    try check(cause)
    try check(
      QueueList.Row(
        digits: 33_162_000_248, number: "+33 1 62 00 02 48", address: "/a?b=c&d", split: "/a?case=1&d", isOpen: true,
        country: "FR", countryName: "France",
        causes: [cause, QueueList.Cause(cause: "split", name: "Split")], missing: "days", rank: "alarm",
        rankName: "Urgent", urgent: "Urgent", level: "moderators", category: "Fraud", people: "24 / 3", days: "M63 0v8",
        daysName: "Complaints on 3 days", heat: "7.5", reports: "12", comment: "<b>", age: "2 h", since: time,
        claimed: ""))
  }

  private func check(_ value: some TemplateValueConvertible) throws {
    #expect(try value.templateValue == TemplateValue(encoding: value))
    #expect(try TemplateValue([value, value]) == .list([value.templateValue, value.templateValue]))
  }
}
