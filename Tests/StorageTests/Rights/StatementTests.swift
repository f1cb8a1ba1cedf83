// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct StatementTests {
  private let number: Int64 = 493_023_125_123
  private var stores: Stores { Stores(pool: pool) }

  private func publish(_ listings: [Listing], serial: Int64) async throws {
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: listings, serial: serial, at: now + Double(serial), on: connection)
    }
  }

  private func statements() async throws -> [StoredStatement] {
    let found = Mutex<[StoredStatement]>([])
    try await stores.statements.forEach(since: now, until: now + 1_000) { batch in found.withLock { $0 += batch } }
    return found.withLock { $0 }
  }

  private func listing(_ treatment: ListedNumber.Treatment = .block) -> Listing {
    Listing(number: number, category: .fraud, cause: .reports, treatment: treatment)
  }

  @Test func `a listing has the figures of its publication until it ends`() async throws {
    let reports = (1...3 as ClosedRange<UInt8>).map { value in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - Double(value) * 86_400, category: .fraud,
        reporter: [UInt8](repeating: value, count: 16))
    }
    _ = try await stores.reports.accept(reports, receivedAt: now)
    for (place, name) in ["a-list", "another"].enumerated() {
      let list = try await stores.apps.source(named: name, at: now)
      let row = Report(
        number: number + Int64(place), appID: list.id, reportID: UUID(), reportedAt: now - 86_400, category: .fraud,
        reporter: nil)
      _ = try await stores.reports.accept([row], receivedAt: now)
    }
    try await publish([listing()], serial: 1)
    // Later reports change nothing, nor does a publication without a change.
    _ = try await stores.reports.accept(
      [reports[0]].map { report in
        var other = report
        other.reportID = UUID()
        return other
      }, receivedAt: now + 1)
    try await publish([listing()], serial: 2)
    let first = try #require(try await statements().first)
    #expect(try await statements() == [first] && first.facts.reports == 4 && first.facts.reporters == 3)
    #expect(first.facts.sources == ["a-list"])
    #expect(first.facts.ground == .reports && first.isBlocked && first.endedAt == nil && first.statedAt == now + 1)
    let explained = try await stores.explanations.explain(number, at: now + 2)
    #expect(explained.statement?.facts == first.facts && explained.statement?.isDecidedAutomatically == true)
    // Another treatment has other reasons.
    try await publish([listing(.identify)], serial: 3)
    #expect(try await statements().map(\.endedAt) == [now + 3, nil])
    try await publish([], serial: 4)
    #expect(try await statements().map(\.endedAt) == [now + 3, now + 4])
    #expect(try await stores.explanations.explain(number, at: now + 5).statement == nil)
  }

  @Test func `a listing has the ground of its publication until the next one`() async throws {
    try await pool.withConnection { connection in
      let id = UUID()
      _ = try await connection.execute(
        """
        INSERT INTO decisions (number, decision_id, decision, category_id, reason, decided_by, decided_at)
        VALUES (\(number), \(id), 'block', 1, 'Fraud.', 'app:Rules', \(now))
        """)
      _ = try await connection.execute(
        """
        INSERT INTO number_decisions (number, decision, category_id, decision_id, decided_at)
        VALUES (\(number), 'block', 1, \(id), \(now))
        """)
    }
    try await publish([Listing(number: number, category: .fraud, cause: .decision)], serial: 1)
    // The decision ends, and the list still has the number.
    try await pool.execute("DELETE FROM number_decisions WHERE number = \(number)")
    let statement = try #require(try await stores.explanations.explain(number, at: now + 2).statement)
    #expect(statement.ground == .decision && statement.isDecidedAutomatically && statement.conditions.isEmpty)
    try await publish([Listing(number: number, category: .fraud, cause: .range)], serial: 2)
    let ofRange = try #require(try await stores.explanations.explain(number, at: now + 3).statement)
    #expect(ofRange.ground == .range && !ofRange.isDecidedAutomatically)
  }

  @Test func `a later decision with the same treatment has a statement of its own`() async throws {
    func decide(
      _ reason: String, _ treatment: Decision.Treatment = .block, _ category: ReportCategory = .fraud, by name: String,
      at time: Date
    ) async throws {
      try await pool.withConnection { connection in
        let id = UUID()
        _ = try await connection.execute(
          """
          INSERT INTO decisions (number, decision_id, decision, category_id, label, reason, decided_by, decided_at)
          VALUES (\(number), \(id), \(treatment.rawValue), \(category.rawValue), 'A label', \(reason), \(name), \(time))
          """)
        _ = try await connection.execute(
          """
          INSERT INTO number_decisions (number, decision, category_id, decision_id, decided_at)
          VALUES (\(number), \(treatment.rawValue), \(category.rawValue), \(id), \(time))
          ON CONFLICT (number) DO UPDATE SET decision = excluded.decision, category_id = excluded.category_id,
            decision_id = excluded.decision_id, decided_at = excluded.decided_at
          """)
      }
    }
    let decided = Listing(number: number, category: .fraud, cause: .decision)
    try await decide("Fraud.", by: "app:Rules", at: now)
    try await publish([decided], serial: 1)
    try await publish([decided], serial: 2)
    #expect(try await statements().count == 1)
    try await decide("Confirmed.", by: "Ada", at: now + 2)
    try await publish([decided], serial: 3)
    let both = try await statements()
    #expect(both.map(\.endedAt) == [now + 3, nil] && both.map(\.facts.isByProgram) == [true, false])
    #expect(try await stores.explanations.explain(number, at: now + 4).statement?.facts?.id == both.last?.facts.id)
    // A decision that this publication does not contain yet changes nothing.
    try await decide("A shop.", .identify, by: "Ada", at: now + 4)
    try await publish([decided], serial: 4)
    try await decide("A survey.", .block, .survey, by: "Ada", at: now + 5)
    try await publish([decided], serial: 5)
    #expect(try await statements() == both)
  }

  @Test func `strangers see rounded figures`() async throws {
    let reports = (1...13 as ClosedRange<UInt8>).map { value in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - 86_400, category: .fraud,
        reporter: [UInt8](repeating: value, count: 16))
    }
    _ = try await stores.reports.accept(reports, receivedAt: now - 7_200)
    try await publish([listing()], serial: 1)
    let told = try await stores.explanations.explainCoarsely(number, at: now + 2 * 86_400).statement?.facts
    #expect(told?.reports == 10 && told?.reporters == 10)
  }
}
