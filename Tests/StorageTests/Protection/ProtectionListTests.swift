// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// Protections of sources and of limited time.
@Suite(.database) struct ProtectionListTests {
  private let number: Int64 = 33_199_000_248

  private var store: ProtectionStore { ProtectionStore(pool: pool) }

  private func list(_ numbers: [Int64]) async throws {
    try await pool.withConnection { connection in
      for number in numbers {
        _ = try await connection.query(
          "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (\(number), 1, 1, \(now))")
      }
    }
  }

  private func revoked() async throws -> [Int64] {
    try await pool.column("SELECT number FROM revocations ORDER BY number")
  }

  @Test func `a protected neighbour is found`() async throws {
    try await store.add([(.number(number), "A bank")], by: "Ada", at: now)
    #expect(try await CaseStore(pool: pool).brief(number + 1, at: now).blockRule.hasProtectedNeighbour)
    #expect(try await CaseStore(pool: pool).read(number + 1, at: now).protectedNeighbour?.reason == "A bank")
  }

  @Test func `a protection ends at its time with an audit event`() async throws {
    let targets = [
      (target: ProtectionTarget.number(number), reason: "A bank"),
      (target: try ProtectionTarget("+4911612*"), reason: "Charities"),
    ]
    try await store.add(targets, by: "Ada", until: now + 60, at: now)
    try await store.add([(.number(number + 1), "A hospital")], by: "Ada", at: now)
    #expect(try await store.expire(at: now + 59) == 0)
    let version = try await store.version()
    #expect(try await store.rule(for: number) != nil)
    #expect(try await store.expire(at: now + 60) == 2)
    #expect(try await store.version() > version)
    for number in [number, 49_116_123_456] { #expect(try await store.rule(for: number) == nil) }
    #expect(try await store.rule(for: number + 1) != nil)
    let events = try await AuditLog(pool: pool).events(AuditFilter(action: "protection.expire"), limit: 10)
    #expect(Set(events.map(\.event.subject)) == ["+\(number)", "+4911612*"] && events[0].event.role == "system")
    // Protected again without an end.
    try await store.add(targets, by: "Ada", until: now + 60, at: now)
    try await store.add(targets, by: "Ada", at: now)
    #expect(try await store.expire(at: now + 99) == 0)
  }

  @Test func `a list changes only its own end, to a later time, and a person everything`() async throws {
    let pattern = try ProtectionTarget("+4911612*")
    let targets = [(target: ProtectionTarget.number(number), reason: "List"), (target: pattern, reason: "List")]
    let (police, list) = (Actor(name: "Ada", role: .administrator), ProtectionStore.author(ofList: "a.txt"))
    for target in targets.map(\.target) {
      #expect(try await store.set(target, reason: "Police", by: police, at: now) == nil)
    }
    #expect(try await store.add(targets, by: list, until: now + 60, at: now) == 2)
    #expect(try await store.expire(at: now + 60) == 0)
    for item in [try await store.protections(of: number)[0], try await store.patterns()[0]] {
      #expect(item.reason == "Police" && item.addedBy == "Ada" && item.expiresAt == nil)
    }

    let own = [(target: ProtectionTarget.number(number + 1), reason: "List")]
    func end() async throws -> Date? { try await store.protections(of: number + 1)[0].expiresAt }
    #expect(try await store.add(own, by: list, until: now + 60, at: now) == 0)
    #expect(try await store.add(own, by: list, until: now + 30, at: now) == 1)
    #expect(try await store.add(own, by: "list:b.txt", at: now) == 1)
    #expect(try await end() == now + 60)
    #expect(try await store.add(own, by: list, until: now + 90, at: now) == 0)
    #expect(try await end() == now + 90)
    #expect(try await store.add(own, by: list, at: now) == 0)
    #expect(try await end() == nil)

    let replaced = try await store.set(.number(number), reason: "Moved", until: now + 60, by: police, at: now + 1)
    #expect(replaced?.reason == "Police" && replaced?.expiresAt == nil)
    #expect(try await store.protections(of: number).map(\.reason) == ["Moved"])
    let event = try #require(try await AuditLog(pool: pool).events(AuditFilter(), limit: 1).first?.event)
    #expect(event.before == ["reason": "Police", "added_by": "Ada"])
  }

  @Test func `a source replaces its own protections and revokes listed numbers`() async throws {
    try await list([number, number + 1, 33_199_100_000])
    try await store.add([(.number(number), "A bank")], by: "Ada", at: now)
    #expect(try await revoked() == [number])
    let targets = [
      (target: ProtectionTarget.number(number), reason: "List"), (target: .number(number + 1), reason: "List"),
      (target: try ProtectionTarget("+331991*"), reason: "List"),
    ]
    #expect(try await store.listed(among: targets.map(\.target)) == 3)
    try await store.replace(of: 7, named: "allow list", with: targets, at: now)
    #expect(try await revoked() == [number, number + 1, 33_199_100_000])
    #expect(try await store.texts(of: 7) == ["+\(number)", "+\(number + 1)", "+331991*"])
    let found = try await store.protections(of: number)
    #expect(found.map(\.addedBy) == ["Ada", "list:allow list"] && found.map(\.reason) == ["A bank", "List"])
    #expect(try await store.protections(of: 33_199_100_000).map(\.what) == ["+331991*"])
    // Each number once in the list of the page.
    #expect(try await store.numbers(after: 0, limit: 9).map(\.number) == [number, number + 1])

    // A person removes an own protection only, and a source its own only.
    #expect(try await !store.remove(.number(number + 1), by: .commandLine("Ada"), at: now))
    try await store.replace(of: 7, named: "allow list", with: [targets[1]], at: now)
    #expect(try await store.rule(for: number) == .protectedNumber(reason: "A bank"))
    #expect(try await store.protections(of: 33_199_100_000).isEmpty)
    let version = try await store.version()
    try await store.replace(of: 8, named: "other", with: [], at: now)
    #expect(try await store.version() == version)
    try await store.replace(of: 7, named: "", with: [], at: now)
    #expect(try await store.texts(of: 7).isEmpty)
    #expect(try await store.counts().numbers == 1)
  }
}
