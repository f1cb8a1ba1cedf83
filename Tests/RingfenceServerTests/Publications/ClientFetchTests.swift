// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import HTTPTypes
import Intake
import Logging
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import HTTPServer
@testable import Jobs
@testable import ModerationSite
@testable import RingfenceCommand

@Suite(.database) struct ClientFetchTests {
  /// Publications 1 to 60, one a day, the last one an hour ago.
  private static func publish() async throws {
    for serial in Int64(1)...60 {
      let time = Date() - 3_600 - Double(60 - serial) * 86_400
      try await TestDatabase.current.pool.execute(
        """
        INSERT INTO publications (serial, state, as_of, published_at, manifest_sha256)
        VALUES (\(serial), 'published', \(time), \(time), decode(repeat('00', 32), 'hex'))
        """)
    }
  }

  @Test func `requests for the manifest count what the client says, and nothing else`() async throws {
    try await TestServer.run { server in
      try ListsTests.publish(812, in: server.folder)
      for (text, isCounted) in [
        ("Example/2.1; serial=12", true), ("Example/2.1; serial=0", true), ("a/1; serial=999999999999999999", true),
        ("Example/2.1", false), ("Example; serial=1", false), ("Example/2.1; serial=-1", false),
        ("Example/2.1; serial=1; id=7", false), ("Ex ample/1; serial=1", false), ("<b>/1; serial=1", false),
        (String(repeating: "a", count: 41) + "/1; serial=1", false), ("/1; serial=1", false),
        ("Example/2.1; serial=99999999999999999999", false),
      ] {
        let answer = try await server.client.execute(
          uri: "/v1/manifest.json", method: .get, headers: [.init(ClientStatement.field)!: text])
        #expect(answer.status == .ok)
        #expect(server.fetches.take().values.reduce(0, +) == (isCounted ? 1 : 0), "\(text)")
      }
      _ = try await server.client.execute(uri: "/v1/manifest.json", method: .get, headers: [:])
      #expect(server.fetches.take().isEmpty)
    }
  }

  @Test func `the shares of 10,000 clients of three versions are the truth`() async throws {
    try await Self.publish()
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      // The version, the publication, the clients: days old 40, at most 1, 5 and 15.
      for (version, serial, clients) in [
        ("1.0", 20, 2_000), ("2.0", 59, 1_000), ("2.0", 60, 4_000), ("2.1", 55, 1_400), ("2.1", 45, 1_500),
        ("2.1", 0, 100),
      ] as [(String, Int64, Int)] {
        for _ in 0..<clients { server.fetches.note(ClientFetch(product: "Example", version: version, serial: serial)) }
      }
      let stores = Stores(pool: TestDatabase.current.pool)
      let job = AppJob(
        apps: stores.apps, withdrawals: stores.keyWithdrawals, uses: KeyUseCounter(), clients: stores.clientFetches,
        fetches: server.fetches, logger: Logger(label: "test"))
      try await job.finish()
      let versions = try await stores.clientFetches.versions(since: Date() - 7 * 86_400)
      #expect(versions.map(\.version) == ["2.0", "2.1", "1.0"] && versions.map(\.fetches) == [5_000, 3_000, 2_000])
      #expect(versions.map(\.byAge) == [[4_000, 1_000, 0, 0], [0, 1_400, 1_500, 0], [0, 0, 0, 2_000]])
      #expect(versions.map(\.newest) == [60, 55, 20] && versions.map(\.first) == [0, 100, 0])
      // An erased hour, as after a kill, leaves the rest; old rows go.
      try await stores.clientFetches.add(
        [ClientFetch(product: "Old", version: "1", serial: 1): 1], at: Date() - 91 * 86_400)
      try await stores.clientFetches.add([ClientFetch(product: "Example", version: "2.0", serial: 60): 1], at: Date())
      let all = try await stores.clientFetches.versions(since: .distantPast)
      #expect(all.map(\.fetches) == [5_001, 3_000, 2_000])
      let page = try await Visitor(server, role: .moderator).get("/moderation/clients").text
      // 3,500 of 9,901.
      #expect(page.contains("35% held one that is older than 7 days."))
      #expect(page.contains("Example 1.0 has not updated since publication 20."))
      #expect(page.matches(of: /has not updated/).count == 1)
    }
  }

  @Test func `statements beyond the most are counted together`() {
    let counter = ClientFetchCounter()
    let time = Date(timeIntervalSince1970: 1_800_000_000)
    for number in 0..<5_000 { counter.note(ClientFetch(product: "Liar", version: "\(number)", serial: 1), at: time) }
    let taken = counter.take()
    // Counts that were taken give no room within the hour.
    counter.note(ClientFetch(product: "Late", version: "1", serial: 1), at: time)
    #expect(counter.take().keys.map(\.product) == [""])
    counter.note(ClientFetch(product: "Next", version: "1", serial: 1), at: time + 3_600)
    #expect(counter.take().keys.map(\.product) == ["Next"])
    #expect(taken.count == 1_001 && taken.values.reduce(0, +) == 5_000)
    #expect(taken[ClientFetch(product: "", version: "", serial: 0)] == 4_000)
  }
}
