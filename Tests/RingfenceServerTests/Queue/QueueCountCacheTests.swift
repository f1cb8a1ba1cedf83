// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer
@testable import ModerationSite

@Suite(.database) struct QueueCountCacheTests {
  private let number: Int64 = 33_199_000_248

  @Test func `the navigation counts the cases that a role may decide`() async throws {
    let (pool, now) = (TestDatabase.current.pool, Date())
    let queue = ClaimService(pool: pool)
    _ = try await pool.run(SQL.enqueueCases((0..<6).map { (number + $0, .held) }, at: now))
    // One case for moderators, two for administrators.
    #expect(try await queue.escalate(number, by: Actor(name: "Tim", role: .triage), at: now))
    for index in 1...2 {
      let ada = Actor(name: "Ada", role: .moderator)
      #expect(try await queue.escalate(number + Int64(index), by: ada, at: now))
    }
    try await TestServer.run { server in
      for (role, count) in [(Role.triage, 3), (.moderator, 4), (.administrator, 6)] {
        let client = try await ModeratorClient.signIn(server, as: "Somebody in \(role.rawValue)", role: role)
        let home = try await client.page("/moderation")
        let counts = home.matches(of: /<span class="count"[^>]*>([0-9]+)<\/span>/).map { String($0.1) }
        #expect(Set(counts) == ["\(count)"], "\(role)")
        #expect(home.contains("<span>In the queue</span><strong>\(count)</strong>"))
      }
      // The health page counts the cases of all roles.
      let health = try await ModeratorClient.signIn(server, as: "Ada").page("/moderation/health")
      #expect(health.contains("6 cases"))
    }
  }

  @Test func `many pages share one query and a failure keeps the last counts`() async throws {
    let asked = Mutex(0)
    let groups = [0, 1, 2].map { level in
      QueueTotals.Group(country: "DE", category: .fraud, causes: [], days: 0, level: level, count: 1)
    }
    let queueCounts = QueueCountCache { _ in
      guard
        asked.withLock({ count in
          count += 1
          return count == 1
        })
      else { throw Problem.notFound }
      return QueueTotals(groups: groups)
    }
    for role in [Role.triage, .moderator, .administrator] { _ = await queueCounts.waiting(for: role) }
    #expect(asked.withLock { $0 } == 1)
    let waiting = await queueCounts.waiting(for: .moderator)
    #expect(waiting.own == 2 && waiting.all == 3)
    await queueCounts.forget()
    #expect(await queueCounts.waiting(for: .moderator).own == 2)
    #expect(asked.withLock { $0 } == 2)
    await #expect(throws: Problem.self) { _ = try await queueCounts.current() }
  }
}
