// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// Skips and escalations that are taken back.
@Suite(.database) struct HandoverTests {
  private let number: Int64 = 33_199_000_248
  private let claims = ClaimService(pool: TestDatabase.current.pool)
  private let tina = Actor(name: "Tina", role: .triage)

  private func item() async throws -> QueueCase? { try await pool.run(SQL.readCase(number: number)).first }

  @Test func `the last skip or escalation is taken back by its account alone`() async throws {
    _ = try await pool.run(SQL.enqueueCases([(number, .held)], at: now))
    let (pass, escalation, again) = (UUID.inOrder(), UUID.inOrder(), UUID.inOrder())
    #expect(try await claims.pass(number, by: tina, id: pass, reason: "Unclear.", input: ["note": "Ask."], at: now))
    let handover = try #require(try await pool.run(SQL.readHandover(number: number)).first)
    #expect(handover.account == "Tina" && handover.reason == "Unclear.")
    // The input is kept with the case, and not in the audit log.
    #expect(handover.after["note"] == nil)
    #expect(try await pool.run(SQL.readDraft(number: number)).first?["note"] == "Ask.")
    #expect(try await !claims.takeBack(pass, of: number, by: Actor(name: "Bob", role: .moderator), at: now + 1))
    #expect(try await claims.takeBack(pass, of: number, by: tina, at: now + 2))
    #expect(try await !claims.takeBack(pass, of: number, by: tina, at: now + 3))
    #expect(try await pool.run(SQL.readPasses(number: number)).isEmpty)

    #expect(try await claims.escalate(number, by: tina, id: escalation, at: now + 4))
    #expect(try await item()?.level == 1)
    #expect(try await claims.takeBack(escalation, of: number, by: tina, at: now + 5))
    #expect(try await item()?.level == 0)
    // A skip that was taken back counts no more after a later one is taken back.
    #expect(try await claims.pass(number, by: tina, id: again, at: now + 5.2))
    #expect(try await claims.takeBack(again, of: number, by: tina, at: now + 5.4))
    #expect(try await pool.run(SQL.readPasses(number: number)).isEmpty)
    // An earlier skip still counts after a later one or an escalation is taken back.
    #expect(try await claims.pass(number, by: tina, at: now + 6))
    let (second, last) = (UUID.inOrder(), UUID.inOrder())
    #expect(try await claims.pass(number, by: tina, id: second, at: now + 7))
    #expect(try await claims.takeBack(second, of: number, by: tina, at: now + 8))
    #expect(try await claims.escalate(number, by: tina, id: last, at: now + 9))
    #expect(try await claims.takeBack(last, of: number, by: tina, at: now + 10))
    #expect(try await pool.run(SQL.readPasses(number: number)) == ["Tina"])
    // Without a case there is nothing to take back.
    #expect(try await claims.escalate(number, by: tina, id: pass, at: now + 11))
    try await pool.execute("DELETE FROM queue")
    #expect(try await !claims.takeBack(pass, of: number, by: tina, at: now + 12))
  }
}
