// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Intake
import Moderation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import HTTPServer
@testable import ModerationSite
@testable import RingfenceCommand

/// Pages that administrators read: the team, Home, the daily time of publication, invitations.
@Suite(.database) struct TeamFlowTests {
  private let day: TimeInterval = 86_400

  @Test func `cases are counted by their arrival and their decision, and appeals by their age`() async throws {
    let midnight = Date(timeIntervalSince1970: 1_795_046_400)
    let numbers: [Int64] = [33_199_000_248, 33_199_000_249, 33_199_000_250]
    for (number, age) in zip(numbers, [2.0, 1, 1]) {
      _ = try await pool.run(SQL.enqueueCases([(number, .held)], at: midnight - age * day))
      try await AppealStore(pool: pool).file(
        try Appeal(number: number + 100, statement: "Mine.", filedAt: midnight - age * 3 * day))
    }
    for number in numbers.prefix(2) {
      _ = try await DecisionService(pool: pool).record(
        try Decision(number: number, treatment: .block, reason: "Calls.", decidedBy: "Ada", decidedAt: midnight + 60))
    }
    // A case about a range is decided with it, as often as the range is.
    _ = try await pool.run(SQL.enqueueCases([(33_199_000_300, .range)], at: midnight - day))
    let rule = RangeRule(
      stored: try RangePattern("+3319900030x", plan: .current), category: .fraud, state: .proposed,
      proposedAt: midnight - day)
    let store = RangeStore(pool: pool)
    try await store.save([rule], audit: Actor.commandLine("Bob").did(.rangePropose, to: "x"), at: midnight - day)
    let ranges = RangeService(stores: Stores(pool: pool))
    let seen = try await store.rules()
    try await ranges.decide(seen, isApproved: false, by: .commandLine("Ada"), reason: "x", at: midnight + 60)
    _ = try await pool.run(SQL.settleCase(number: 33_199_000_300))
    let flow = try await TeamStore(pool: pool).flow(
      since: midnight - 30 * day, until: midnight + 120, target: 36 * 3_600)
    let today = Int32(midnight.timeIntervalSince1970 / day)
    #expect(flow.arrived == [today - 6: 1, today - 3: 2, today - 2: 1, today - 1: 3])
    #expect(flow.decided == [today: 3] && flow.inTime == 2)
    let figures = try await TeamStore(pool: pool).figures(since: midnight, until: midnight + 120, of: nil)
    #expect(figures[.queue]?.map(\.key) == ["held", "range"] && figures[.day]?.map(\.decisions) == [3])
    #expect(flow.appeals == [0, 0, 3, 0])
  }

  @Test func `a case that an answer to its appeal ends has arrived and is decided`() async throws {
    let midnight = Date(timeIntervalSince1970: 1_795_046_400)
    let service = AppealService(pool: pool)
    for (number, state) in [(33_199_000_248, .upheld), (33_199_000_249, .rejected)] as [(Int64, Appeal.State)] {
      let appeal = try Appeal(number: number, statement: "Mine.", filedAt: midnight - day)
      try await AppealStore(pool: pool).file(appeal)
      _ = try await service.settle(
        number, as: state, by: .commandLine("Ada"), answer: "Yes, and no.", at: midnight + 60)
      _ = try await pool.run(SQL.settleCase(number: number))
    }
    let flow = try await TeamStore(pool: pool).flow(
      since: midnight - 30 * day, until: midnight + 120, target: 36 * 3_600)
    let today = Int32(midnight.timeIntervalSince1970 / day)
    #expect(flow.arrived == [today - 1: 2] && flow.decided == [today: 2] && flow.inTime == 2)
  }

  @Test func `the page of the team and Home have charts without scripts`() async throws {
    _ = try await pool.run(SQL.enqueueCases([(33_199_000_248, .held)], at: Date() - 7_200))
    try await StatisticsStore(pool: pool).refresh(at: Date())
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let team = try await ada.page("/moderation/team?days=7")
      for name in ["arrived", "oldest"] { #expect(team.contains("<h2 id=\"chart-\(name)\">"), "\(name)") }
      #expect(team.matches(of: /<svg class="chart"/).count == 2 && team.contains("None in this period"))
      #expect(team.contains("More than 7 days") && !team.contains("Decided within"))
      #expect(try await ada.page("/moderation").contains("id=\"chart-waiting\""))
    }
  }

  @Test func `Home names a source that fails, with its rows, and shows a moderator no command`() async throws {
    let stores = Stores(pool: pool)
    let list = try await stores.apps.source(named: "list", at: now)
    let settings = Source.Settings(name: "list", url: "http://127.0.0.1/list", format: .csv, every: 3_600)
    _ = try await stores.sources.add(
      settings, as: list, by: .commandLine("Test"), at: now)
    let source = try #require(try await stores.sources.source(named: "list"))
    try await stores.sources.fail(source, because: .silent, at: now, next: now + 60)
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let (ada, chief) = (
        try await ModeratorClient.signIn(server, as: "Ada"),
        try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      )
      for client in [ada, chief] {
        let page = try await client.page("/moderation")
        #expect(page.contains("The source list fails:") && page.contains("Rejected rows of its last file: 0 of 0."))
        #expect(
          page.contains("The source list fails and was never read.")
            && page.contains("Subscribe to a list") == (client.cookie == chief.cookie))
        #expect(page.contains("<code>ringfence") == (client.cookie == chief.cookie))
      }
    }
  }

  @Test func `an administrator sets the daily time of publication on the page`() async throws {
    let path = "/moderation/publications/schedule"
    try await TestServer.run(
      configure: { $0.site.secondFactor = .nobody }, publish: { _ in }
    ) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let page = try await chief.page("/moderation/publications")
      #expect(try await chief.page("/moderation").contains("No publication is scheduled"))
      let wrong = try await chief.send(page, to: path, [("time", "25:00")])
      #expect(wrong.status == .unprocessableContent && wrong.text.contains("Write it like 03:00."))
      #expect(wrong.text.contains("value=\"25:00\""))
      let saved = try await chief.send(page, to: path, [("time", "03:30")])
      #expect(saved.headers[.location] == "/moderation/publications?done=schedule")
      let home = try await chief.page("/moderation")
      #expect(home.contains("T03:30:00Z"))
      // Another server learns it from the database.
      let store = PublicationStore(pool: pool)
      let other = CurrentSchedule(PublicationSchedule(time: "05:00", zone: "UTC"))
      #expect(try await other.refresh(store)?.minute == 30)
      // A form from before the change does not undo it.
      for time in ["", "04:00"] {
        let late = try await chief.send(page, to: path, [("time", time)])
        #expect(late.status == .conflict && late.text.contains("it is “03:30” now"))
        #expect(late.text.contains("name=\"former\" value=\"03:30\""))
        #expect(late.text.contains("type=\"time\" value=\"\(time)\""))
        #expect(try await store.dailyTime()?.time == "03:30")
      }
      // Nor after a time that was none.
      let corrected = try await chief.send(wrong.text, to: path, [("time", "04:00")])
      #expect(corrected.status == .conflict)
      // The same form again is no conflict.
      #expect(try await chief.send(page, to: path, [("time", "03:30")]).status == .seeOther)
      let events = try await pool.withConnection {
        try await $0.query("SELECT 1 FROM audit_events WHERE action = 'publication.schedule'")
      }.count
      #expect(events == 1)
      let fresh = try await chief.page("/moderation/publications")
      #expect(try await chief.send(fresh, to: path, [("time", "")]).status == .seeOther)
      let gone = try await chief.send(fresh, to: path, [("time", "04:00")])
      #expect(gone.status == .conflict && gone.text.contains("removed the time"))
      #expect(try await store.dailyTime() == nil)
      #expect(try await other.refresh(store)?.hour == 5)
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      #expect(try await ada.post(path, [("time", "03:30")], token: "").status == .forbidden)
    }
  }

  @Test func `an invitation is mailed, and its link is not readable in the database`() async throws {
    try await TestServer.run(
      configure: {
        $0.site.secondFactor = .nobody
        $0.site.sendsMail = true
      }
    ) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let page = try await chief.page("/moderation/accounts")
      let wrong = try await chief.send(
        page, to: "/moderation/accounts", [("name", "Ada"), ("role", "moderator"), ("mail", "ada")])
      #expect(wrong.status == .unprocessableContent && wrong.text.contains("value=\"ada\""))
      let added = try await chief.send(
        page, to: "/moderation/accounts", [("name", "Ada"), ("role", "moderator"), ("mail", "ada@example.org")])
      let link = String(try #require(added.text.firstMatch(of: /<code>([^<]*)<\/code>/)?.1))
      #expect(added.text.contains("mailed to ada@example.org"))
      let messages = try await OutboxStore(pool: pool).take(at: Date() + 1, until: Date() + 60, limit: 10)
      let message = try #require(messages.first)
      #expect(messages.count == 1 && message.receiver == "mailto:ada@example.org" && !message.body.contains("token"))
      let secrets = OwnerCodeMessage(pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)))
      let mail = EventMail(catalog: try MessageCatalog(folder: Checkout.texts), address: "https://example.org")
      let body = try #require(secrets.body(of: message))
      #expect(try #require(mail.write(kind: message.event, body: body, language: "en")).text.contains("\(link)\n"))
      try await OutboxStore(pool: pool).settle(message, at: Date())
      #expect(try await OutboxStore(pool: pool).waiting().isEmpty)
    }
  }
}
