// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Intake
import NIOCore
import PhoneNumbers
import PostgreSQL
import RingfenceClient
import Storage
import Support
import TestSupport
import Testing

@testable import API

@Suite(.database) struct RemediationsTests {
  private static let blocked: Int64 = 33_199_000_248

  private var stores: Stores { Stores(pool: pool) }
  private let day = String(Timestamp.format(Date() - 86_400).prefix(10))

  private func sums() async throws -> [String] {
    try await stores.remediations.sums(since: 0).map { sum in
      "\(sum.sender.rawValue) \(sum.kind?.rawValue ?? "all") \(sum.value) \(sum.installations): "
        + "\(sum.tally.matched) \(sum.tally.blocked) \(sum.tally.labeled) \(sum.tally.overridden)"
    }.sorted()
  }

  private func publish(_ pack: String) async throws {
    try await pool.execute(
      """
      INSERT INTO publications (serial, state, as_of, published_at, manifest_sha256)
      VALUES (1, 'published', \(Date()), \(Date()), \([UInt8](repeating: 1, count: 32)))
      """)
    try await pool.execute(
      """
      INSERT INTO publication_packs (serial, name, kind, pack_serial, entries, size_bytes)
      VALUES (1, \(pack), 'blocking', 1, 1000, 1314)
      """)
  }

  private func installation(of server: TestServer, key: String? = nil) async throws -> HTTPFields {
    struct Answer: Decodable { let token: String }
    let made = try await server.post("/v1/installations", "", key: key)
    let token = try JSONDecoder().decode(Answer.self, from: Data(String(buffer: made.body).utf8)).token
    return [HTTPField.Name("Ringfence-Installation")!: token]
  }

  private func body(
    _ row: String = #""matched":2,"blocked":2"#, day: String? = nil, more: String = ""
  ) -> String {
    #"{"day":"\#(day ?? self.day)","counts":[{"pack":"block","treatment":"block",\#(row)}]\#(more)}"#
  }

  @Test func `a day of an installation counts once`() async throws {
    try await publish("block")
    try await TestServer.run { server in
      let sender = try await installation(of: server)
      for (text, status) in [(body(), 201), (body(), 200), (body(#""matched":9,"blocked":9"#), 200)] {
        let answer = try await server.post("/v1/remediations", text, headers: sender)
        #expect(answer.status.code == status)
        #expect(
          String(buffer: answer.body)
            == #"{"day":"\#(day)","status":"\#(status == 201 ? "created" : "duplicate")"}"#)
      }
      let other = try await installation(of: server)
      #expect(try await server.post("/v1/remediations", body(), headers: other).status == .created)
    }
    #expect(
      try await sums() == [
        "apps all  2: 4 4 0 0", "apps pack block 2: 4 4 0 0", "apps treatment block 2: 4 4 0 0",
      ])
  }

  @Test func `tokens of others, numbers, other days and large counts are refused`() async throws {
    try await publish("block")
    let other = try await stores.apps.create(name: "Other", at: Date()).key
    try await TestServer.run { server in
      let (own, foreign) = (try await installation(of: server), try await installation(of: server, key: other))
      let days = [2, -5].map { String(Timestamp.format(Date() + Double($0) * 86_400).prefix(10)) }
      for (headers, text, status, code) in [
        ([:], body(), 422, "installation"), (foreign, body(), 422, "installation"),
        (own, body(day: days[0]), 422, "in_the_future"), (own, body(day: days[1]), 422, "too_old"),
        (own, body(#""matched":1000000000"#), 422, "out_of_range"),
        (own, body(#""matched":1,"source":"+33199000248""#), 422, "unknown_name"),
        (own, body(#""matched":1,"score":33199000248"#), 400, "wrong_type"),
        (own, body(#""matched":1,"number":"+33199000248""#), 400, "is not allowed"),
        (own, body(more: #","number":"+33199000248""#), 400, "is not allowed"),
      ] as [(HTTPFields, String, Int, String)] {
        let answer = try await server.post("/v1/remediations", text, headers: headers)
        let found = String(buffer: answer.body)
        #expect(answer.status.code == status && found.contains(code), "\(text): \(found)")
      }
    }
    #expect(try await sums() == [])
  }

  @Test func `telephone systems and PhoneBlock's devices are counted without numbers`() async throws {
    try await pool.execute(
      "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (\(Self.blocked), 6, 12, \(Date()))")
    try await TestServer.run { server in
      let bearer: HTTPFields = [.authorization: "Bearer \(server.key)"]
      for path in ["\(Self.blocked)?as=verdict", "\(Self.blocked)/json", "33199000252/json", "\(Self.blocked)"] {
        #expect(try await server.client.execute(uri: "/v1/pbx/\(path)", method: .get, headers: bearer).status == .ok)
      }
      _ = try await server.client.execute(uri: "/v1/pbx/\(Self.blocked)", method: .head, headers: bearer)
      for _ in 0..<(PhoneBlockReports.callsADay + 3) {
        let path = "/phoneblock/api/report-call/0012015550123"
        #expect(try await server.client.execute(uri: path, method: .post, headers: bearer).status == .noContent)
      }
    }
    #expect(
      try await sums() == [
        "phoneblock all  1: 20 20 0 0", "telephone_systems all  0: 2 2 0 0",
        "telephone_systems number_type \(PhoneNumber(digits: Self.blocked)?.kind.rawValue ?? "") 0: 2 2 0 0",
        "telephone_systems treatment block 0: 2 2 0 0",
      ])
  }

  private func figures(_ page: String) -> [String] {
    page.matches(of: /<td class="figure"[^>]*>([^<]*)</).map { String($0.1) }
  }

  @Test func `pages show complete weeks with their error, and useless sources`() async throws {
    try await publish("block")
    try await pool.execute(
      """
      INSERT INTO remediation_sums (day, sender, class, value, installations, matched, blocked, labeled, overridden)
      SELECT floor(extract(epoch FROM \(Date())::timestamptz) / 86400)::integer - ago, 'apps', class, value, 9, 400000, 400000, 0, 4000
      FROM generate_series(5, 45) AS t (ago) CROSS JOIN (VALUES ('', ''), ('pack', 'block')) AS c (class, value)
      """)
    try await TestServer.run { server in
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await ada.page("/moderation/usefulness")
      // 28 days of 400,000 calls for 1,000 numbers, and one override for 100 blocks.
      #expect(
        page.contains("± 900")
          && page.contains("<td class=\"figure\" data-label=\"Overrides per thousand blocks\">10.0</td>"))
      let again = try await ada.page("/moderation/usefulness")
      #expect(page.contains("1.3\u{A0}kB") && figures(page) == figures(again) && figures(page).count == 5)
      let home = try await ada.page("/moderation")
      #expect(home.contains("Calls stopped by day") && home.contains("href=\"/moderation/usefulness\""))
      #expect(home.contains("in 95 of 100 cases"))
      let low = try await ModeratorClient.signIn(server, as: "Eve", role: .triage)
      #expect(try await low.get("/moderation/usefulness").status == .forbidden)
    }
  }

  @Test func `a call whose count cannot be stored is counted once, later`() async throws {
    let intake = RemediationIntake(
      store: Stores(pool: pool).remediationIntake, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)))
    // No commit is tried any more.
    intake.close()
    for _ in 0..<300 {
      await intake.counter.note(.telephoneSystems, isBlocked: true, classes: [.treatment: "block"], of: nil, at: Date())
    }
    #expect(try await sums() == [])
    for _ in 0..<2 { #expect(try await intake.counter.flush() == 0) }
    #expect(
      try await sums() == [
        "telephone_systems all  0: 300 300 0 0", "telephone_systems treatment block 0: 300 300 0 0",
      ])
  }

  @Test func `the kit's counts reach the server once`() async throws {
    try await publish("block")
    try await TestServer.run(isPlain: true) { server in
      try await withTemporaryFolder { folder in
        let configuration = try ClientConfiguration(
          server: URL(string: "http://127.0.0.1:\(server.port)/v1")!, key: server.key,
          folder: URL(filePath: folder).appending(path: "client"))
        let clock = ClientEnvironment(now: { Date() - 86_400 })
        let call = ClientRemediation(pack: "block", blocks: true, score: "high", numberType: "mobile")
        do {
          let client = try RingfenceClient(configuration, environment: clock)
          for _ in 0..<12 { try await client.countRemediation(call, .blocked) }
          try await client.countRemediation(call, .overridden)
          await client.flush()
          #expect(try await sums() == [], "the day has not ended")
        }
        let saved = URL(filePath: "\(folder)/client/outbox")
        let before = try Data(contentsOf: saved)
        for _ in 0..<2 {
          try before.write(to: saved)
          let client = try await RingfenceClient.opened(configuration)
          #expect(await client.flush().dropped == 0)
        }
      }
    }
    #expect(
      try await sums() == [
        "apps all  1: 10 10 0 1", "apps number_type mobile 1: 10 10 0 1", "apps pack block 1: 10 10 0 1",
        "apps score high 1: 10 10 0 1", "apps treatment block 1: 10 10 0 1",
      ])
  }
}
