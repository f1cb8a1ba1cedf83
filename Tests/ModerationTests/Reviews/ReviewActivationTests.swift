// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct ReviewActivationTests {
  private let chief = Actor(name: "Chief", role: .administrator)
  private var reviews: ReviewStore { ReviewStore(pool: pool) }
  /// Every decision is in the sample.
  private let policy = ReviewPolicy(share: 1, maxReporters: 100)
  private var service: ReviewService { ReviewService(pool: pool, policy: policy) }

  private func decide(_ number: Int64) async throws {
    let decision = try Decision(
      number: number, treatment: .block, reason: "Because.", decidedBy: "Moderator 1", decidedAt: now)
    #expect(try await DecisionService(pool: pool, reviews: policy).record(decision) == .recorded)
  }

  @Test func `reviews are off until three moderators have signed in and an administrator turns them on`() async throws {
    try await TestDatabase.current.addModerators(2)
    try await decide(33_199_000_001)
    #expect(try await !reviews.activation().isPossible)
    #expect(try await !service.turn(on: true, by: chief, at: now))
    try await pool.execute(
      """
      INSERT INTO accounts (name, role, created_at, signed_in_at) VALUES
        ('Tim', 'triage', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
        ('Eve', 'administrator', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
        ('New', 'moderator', '2026-01-01T00:00:00Z', NULL)
      """)
    // Possible, and still off: an administrator decides.
    let proposed = try await reviews.activation()
    #expect(proposed.moderators == 3 && proposed.isPossible && !proposed.isRequested && !proposed.isOn)
    try await decide(33_199_000_002)
    #expect(try await service.open(for: "Moderator 2") == [])
    #expect(try await !service.mark(33_199_000_001, by: Actor(name: "Chief", role: .administrator), at: now))

    for _ in 0..<2 {
      #expect(try await service.turn(on: true, by: chief, at: now))
      let events = try await AuditLog(pool: pool).events(AuditFilter(action: "review.turn"), limit: 10)
      #expect(events.map(\.event.action) == ["review.turn_on"])
    }
    try await decide(33_199_000_003)
    #expect(try await service.open(for: "Moderator 2").map(\.number) == [33_199_000_003])
    #expect(try await service.mark(33_199_000_001, by: Actor(name: "Chief", role: .administrator), at: now))

    // With a moderator less nothing is reviewed.
    try await AccountStore(pool: pool).setDisabled(true, name: "Moderator 2", by: Actor.commandLine("Chief"), at: now)
    #expect(try await !reviews.activation().isOn)
    #expect(try await service.open(for: "Eve") == [])
    #expect(try await service.turn(on: false, by: chief, at: now))
    #expect(try await service.open(for: "Moderator 2").isEmpty)
  }

  /// The weights of reporters stay as they are: one person alone must not discount them.
  @Test func `a decision with reach is unconfirmed even while reviews are off`() async throws {
    let reports = (0..<21).map { index in
      Report(
        number: 33_199_000_248, appID: 1, reportID: UUID(), reportedAt: now - 86_400, category: .fraud,
        reporter: [UInt8](repeating: UInt8(index), count: 16))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now - 86_400)
    let decision = try Decision(
      number: 33_199_000_248, treatment: .allow, reason: "Because.", decidedBy: "Moderator 1", decidedAt: now)
    _ = try await DecisionService(pool: pool, reviews: policy).record(decision)
    _ = try await ReporterStore(pool: pool).recount(protected: .none, at: now + 120)
    let judged = try await pool.withConnection { connection in
      try await connection.query("SELECT count(*)::integer FROM reporters WHERE judged > 0").map {
        Int(try $0.decode(0, as: Int32.self))
      }
    }
    #expect(judged == [0])
  }
}
