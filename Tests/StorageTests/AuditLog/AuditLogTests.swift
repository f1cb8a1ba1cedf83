// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct AuditLogTests {
  private var auditLog: AuditLog { AuditLog(pool: pool) }

  @Test(arguments: ["UPDATE audit_events SET actor = 'x'", "DELETE FROM audit_events", "TRUNCATE audit_events"])
  func `the audit log cannot be changed`(_ sql: String) async throws {
    try await auditLog.append(Actor.commandLine("Ada").did(.sourceAdd, to: "x"), at: now)
    let error = await #expect(throws: PostgresError.self) {
      try await pool.withConnection { try await $0.execute(script: sql) }
    }
    #expect(error?.sqlState == "42501")
    #expect(try await auditLog.events(AuditFilter(), limit: 10).count == 1)
  }

  @Test func `a repeated event is stored once and unchanged`() async throws {
    let event = Actor(name: "Ada", role: .triage).did(
      .decisionBlock, to: "+4930123456", before: ["decision": "allow \"x\" \\ \u{1F4A9}"], after: [:],
      because: "Calls at night")
    for _ in 0..<2 { try await auditLog.append(event, at: now) }
    let records = try await auditLog.events(AuditFilter(), limit: 10)
    #expect(records.map(\.event) == [event] && records.map(\.time) == [now])
  }

  /// The second attempt finds the event of the first one: before its work, or after it where the server commits the first
  /// one meanwhile.
  @Test(arguments: ["WARNING 'not confirmed'", "EXCEPTION USING ERRCODE = '40001'"])
  func `a change whose commit was in doubt is made once`(_ failure: String) async throws {
    try await failFirstCommit(failure)
    let (id, isCommitted) = (UUID(), failure.hasPrefix("WARNING"))
    let attempts = Atomic(0)
    let attempt = try await pool.change(at: now) { connection in
      let attempt = attempts.add(1, ordering: .relaxed).newValue
      let event = Actor.ringfence.did(.holdEnd, to: "x", id: id)
      if attempt == 2 { try await auditLog.append(event, at: now) }
      try await connection.execute("INSERT INTO apps (name, created_at) VALUES (\("app \(attempt)"), \(now))")
      return .made(event, attempt)
    }
    #expect(attempt == 1 && attempts.load(ordering: .relaxed) == (isCommitted ? 1 : 2))
    #expect(try await auditLog.events(AuditFilter(), limit: 9).count == 1)
    #expect(try await pool.column("SELECT name FROM apps WHERE name LIKE 'app _'") == (isCommitted ? ["app 1"] : []))
  }

  /// Also where a store knows only the name, and of changes that the command causes.
  @Test func `events of a command have the role of its author and the way`() async throws {
    for author in [CommandAuthor(name: "Ada", role: .moderator), CommandAuthor(program: "Ada")] {
      try await CommandAuthor.$current.withValue(author) {
        for actor in [Actor(name: "Ada", role: .administrator), .ringfence, .owner] {
          try await auditLog.append(actor.did(.holdEnd, to: "x"), at: now)
        }
      }
    }
    try await auditLog.append(Actor(name: "Ada", role: .triage).did(.holdEnd, to: "x"), at: now)
    let events = try await auditLog.events(AuditFilter(), limit: 10).map(\.event).reversed()
    #expect(events.map(\.role) == ["moderator", "system", "owner", "system", "system", "owner", "triage"])
    #expect(events.map(\.via) == Array(repeating: "command line", count: 6) + [nil])
  }

  @Test func `pages and filters find every event`() async throws {
    for index in 0..<25 {
      let actor = Actor.commandLine(index % 2 == 0 ? "Ada" : "Bob%")
      // Several events at the same time.
      try await auditLog.append(
        actor.did(index % 3 == 0 ? .decisionBlock : .rangeApprove, to: "+49301234\(index)"),
        at: now + Double(index / 5))
    }
    var seen: [AuditRecord] = []
    var cursor: AuditCursor?
    while true {
      let page = try await auditLog.events(AuditFilter(), after: cursor, limit: 4)
      if page.isEmpty { break }
      seen += page
      cursor = page.last?.cursor
    }
    #expect(seen.count == 25 && Set(seen.map(\.event.id)).count == 25)
    #expect(seen.map(\.time) == seen.map(\.time).sorted(by: >))
    func found(_ filter: AuditFilter) async throws -> Int {
      let records = try await auditLog.events(filter, limit: 100)
      return records.count
    }
    #expect(try await found(AuditFilter(actor: "Ada")) == 13)
    #expect(try await found(AuditFilter(actor: "Bob%", action: "decision.")) == 4)
    #expect(try await found(AuditFilter(action: "rul_ng")) == 0)
    #expect(try await found(AuditFilter(subject: "+493012341")) == 11)
    #expect(try await found(AuditFilter(since: now + 1, until: now + 2)) == 5)
    #expect(try await auditLog.actors() == ["Ada", "Bob%"])
  }
}
