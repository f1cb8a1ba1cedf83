// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct HoldTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let number: Int64 = 33_162_000_248

  private var pool: PostgresPool { TestDatabase.current.pool }

  @Test func `a reporter with many reports does not hide other votes`() async throws {
    let (loud, number, now) = ([UInt8](repeating: 1, count: 16), number, now)
    let reports = (1...30 as ClosedRange<UInt8>).map { index in
      var report = Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - 60, category: .fraud,
        reporter: [UInt8](repeating: index, count: 16))
      report.network = [UInt8](repeating: index, count: 8)
      report.comment = "They wanted my card, said number \(index)."
      return report
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now - 60)
    try await pool.withConnection { connection in
      _ = try await connection.execute(
        """
        INSERT INTO reports (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment)
        SELECT \(number), 1, gen_random_uuid(), \(now - 30), \(now - 30), 1, \(loud), 0.5, 'Noise'
        FROM generate_series(1, 5001)
        """)
    }
    let store = HoldStore(pool: pool)
    let votes = try await store.withSnapshot { connection in
      var votes: [ReporterVote] = []
      try await store.forEachReviewable(hotterThan: 0, reporters: 1, at: now, on: connection) { numbers in
        try await store.forEachVotes(of: numbers, at: now, on: connection) { votes += $0.votes }
      }
      return votes
    }
    #expect(Set(votes.map(\.reporter)).count == 30)
    #expect(votes.count == 30)
    // The first network and the first text of each, including those of the reporter with many reports.
    #expect(Set(votes.compactMap(\.network)).count == 30)
    for vote in votes {
      #expect(vote.text == CommentKey.key(of: "They wanted my card, said number \(vote.reporter.bytes[0])."))
    }
  }

  /// As when both are committed at the same moment.
  @Test func `a decision settles a hold that it did not see`() async throws {
    let (holds, number) = (HoldStore(pool: pool), number)
    let decision = try Decision(number: number, treatment: .allow, decidedBy: "Ada", decidedAt: now)
    _ = try await DecisionService(pool: pool).record(decision)
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
    _ = try await holds.hold([(number, finding)], at: now + 1)
    try await pool.withConnection { connection in
      _ = try await connection.execute("UPDATE holds SET settled = false")
    }
    #expect(try await holds.held().isEmpty)
    #expect(try await holds.hold(of: number)?.isSettled == true)
  }

  @Test func `a number that has a decision gets no open hold`() async throws {
    let (holds, decisions) = (HoldStore(pool: pool), DecisionService(pool: pool))
    let decision = try Decision(number: number, treatment: .allow, decidedBy: "Ada", decidedAt: now)
    _ = try await decisions.record(decision)
    let member = Reporter([UInt8](repeating: 1, count: 16))
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [member])
    #expect(try await holds.hold([(number, finding)], at: now + 1) == 0)
    #expect(try await holds.held().isEmpty)
    #expect(try await holds.hold(of: number)?.isSettled == true)
    _ = try await decisions.undo(decision.id, of: number, decidedBy: "Bob", at: now + 2)
    #expect(try await holds.held().map(\.number) == [number])
  }
}
