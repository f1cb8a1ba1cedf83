// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Intake

@Suite(.database) struct OwnerRightsTests {
  private let number: Int64 = 493_023_125_123
  private var stores: Stores { Stores(pool: pool) }

  private func service(
    _ journal: ErasureJournal? = nil, gateways: [String] = [], codesPerDay: Int = 0
  ) -> RightsService {
    RightsService(
      stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 7, count: 32)), journal: journal,
      gateways: gateways, codesPerDay: codesPerDay)
  }

  private func code(at time: Date) async throws -> String? {
    try await service().makeCode(for: number, by: .commandLine("Ada"), at: time)
  }

  @Test func `a code opens one pass of its number`() async throws {
    let service = service()
    let code = try #require(try await code(at: now))
    #expect(try await service.enter(code, for: number + 1, at: now) == nil)
    let pass = try #require(try await service.enter("\(code.prefix(4)) \(code.suffix(4))", for: number, at: now + 899))
    #expect(try await service.pass(pass, at: now + 900)?.number == number)
    #expect(try await service.pass(AppealTicket(), at: now) == nil)
    #expect(try await service.pass(pass, at: now + 899 + 3_600) == nil)
    // A replay.
    #expect(try await service.enter(code, for: number, at: now + 899) == nil)
  }

  @Test func `an expired code is refused`() async throws {
    let code = try #require(try await code(at: now))
    #expect(try await service().enter(code, for: number, at: now + 900) == nil)
  }

  @Test func `a code ends after five attempts, and a number gets three codes a day`() async throws {
    let service = service()
    let first = try #require(try await code(at: now))
    let wrong = first == "00000000" ? "00000001" : "00000000"
    for _ in 0..<5 { #expect(try await service.enter(wrong, for: number, at: now) == nil) }
    #expect(try await service.enter(first, for: number, at: now) == nil)
    #expect(try await code(at: now) != nil)
    #expect(try await code(at: now) != nil)
    #expect(try await code(at: now) == nil)
    let midnight = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 86_400).rounded(.up) * 86_400)
    #expect(try await code(at: midnight) != nil)
  }

  /// Ten thousand attempts in a day, with every code that a number gets.
  @Test func `of ten thousand attempts fifteen are compared`() async throws {
    let service = service()
    var codes: [String] = []
    for attempt in 0..<10_000 {
      let time = now + Double(attempt) / 100
      if attempt.isMultiple(of: 1_000), let code = try await code(at: time) { codes.append(code) }
      let guess = String(format: "%08d", attempt)
      guard !codes.contains(guess) else { continue }
      #expect(try await service.enter(guess, for: number, at: time) == nil)
    }
    let attempts: [Int64] = try await TestDatabase.current.pool.column("SELECT sum(attempts) FROM owner_codes")
    #expect(codes.count == 3 && attempts == [15])
    for code in codes { #expect(try await service.enter(code, for: number, at: now + 100) == nil) }
  }

  @Test func `the gateway alone gets the code, and strangers learn nothing`() async throws {
    try await stores.outbox.replaceReceivers(["https://chat.example.org/"])
    let service = service(gateways: ["https://gateway.example.org/"])
    func form(_ byte: UInt8) -> (id: [UInt8], expiresAt: Date) { ([UInt8](repeating: byte, count: 16), now + 7_200) }
    // The work of a form pays for one code.
    for _ in 0..<2 { #expect(try await service.sendCode(to: number + 1, form: form(0), at: now)) }
    let other = try await stores.outbox.take(at: now, until: now + 60, limit: 100)
    #expect(other.count == 1)
    for byte in 1...5 as ClosedRange<UInt8> {
      #expect(try await service.sendCode(to: number, form: form(byte), at: now))
    }
    let messages = try await stores.outbox.take(at: now, until: now + 60, limit: 100)
    #expect(messages.map(\.receiver) == Array(repeating: "https://gateway.example.org/", count: 3))
    #expect(messages.allSatisfy { $0.event == "owner_code" })
    let opener = OwnerCodeMessage(pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 7, count: 32)))
    let body = try #require(messages.last.flatMap(opener.body(of:)))
    let code = try #require(body.firstMatch(of: /"code":"([0-9]{8})"/)?.1)
    #expect(try await service.enter(String(code), for: number, at: now) != nil)
    // The code is in the message only.
    let stored: [String] = try await TestDatabase.current.pool.column("SELECT t::text FROM owner_codes t")
    #expect(stored.count == 4 && stored.allSatisfy { !$0.contains(code) })
    #expect(try await stores.retention.purgeOwnerProofs(before: now + 100_000) == 9)
  }

  @Test func `the gateway gets the codes of a day, whatever the number, and then no more`() async throws {
    let service = service(gateways: ["https://gateway.example.org/"], codesPerDay: 2)
    func send(_ place: Int64, at time: Date) async throws -> Bool {
      try await service.sendCode(
        to: number + place, form: ([UInt8](repeating: UInt8(place), count: 16), time + 7_200), at: time)
    }
    // A code that an operator delivers costs nothing.
    _ = try await code(at: now)
    for place in [1, 2] as [Int64] { #expect(try await send(place, at: now)) }
    #expect(try await !send(3, at: now))
    #expect(try await stores.ownerProofs.sentCodes(at: now) == 2)
    #expect(try await stores.outbox.take(at: now, until: now + 60, limit: 100).count == 2)
    // Its form was not used up, and the next day has codes of its own.
    #expect(try await send(3, at: now + 3_600) == false)
    let midnight = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 86_400).rounded(.up) * 86_400)
    #expect(try await send(3, at: midnight))
    #expect(try await stores.ownerProofs.sentCodes(at: midnight) == 1)
  }

  @Test func `all views with a pass are one event of the audit log`() async throws {
    let service = service()
    for minute in [0.0, 60] {
      let code = try #require(try await code(at: now + minute))
      let ticket = try #require(try await service.enter(code, for: number, at: now + minute))
      for view in [1.0, 2, 1_800] {
        let pass = try #require(try await service.pass(ticket, at: now + minute + view))
        _ = try await service.data(of: pass)
      }
    }
    let events = try await stores.auditLog.events(AuditFilter(action: "right.access"), limit: 10)
    #expect(events.map(\.time) == [now + 60, now] && Set(events.map(\.event.actor)) == ["owner"])
  }

  @Test func `a suppression is a protection that people and sources cannot end`() async throws {
    try await withTemporaryFolder { folder in
      let service = service(ErasureJournal(path: "\(folder)/erasures.jsonl"))
      let report = Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - 60, category: .fraud,
        reporter: [UInt8](repeating: 1, count: 16))
      _ = try await stores.reports.accept([report], receivedAt: now - 60)
      try await service.suppress(number, at: now)
      #expect(try await service.isSuppressed(number))
      #expect(try await stores.protection.load().rule(for: number) != nil)
      #expect(try await !stores.protection.remove(.number(number), by: .commandLine("Ada"), at: now))
      try await stores.protection.add([(.number(number), "A bank")], by: "Ada", at: now)
      #expect(try await stores.protection.remove(.number(number), by: .commandLine("Ada"), at: now))
      try await stores.protection.replace(of: 5, named: "A list", with: [(.number(number), "x")], at: now)
      try await stores.protection.replace(of: 5, named: "A list", with: [], at: now)
      #expect(try await stores.protection.load().rule(for: number) != nil)
      // An app sees a number that nobody reported.
      let seen = try await stores.explanations.explainCoarsely(number, at: now + 86_400)
      let unknown = try await stores.explanations.explainCoarsely(number + 1, at: now + 86_400)
      #expect(seen.lines == unknown.lines && seen.score == nil && seen.protection == nil)
      #expect(try await stores.explanations.explain(number, at: now).verdict == .protected)
      let client = [UInt8](repeating: 2, count: 16)
      #expect(try await CallerStore(pool: pool).state(of: number, for: client, at: now).state == .unlisted)
      // The newest publication contains it until the next one.
      try await pool.withConnection {
        try await $0.execute(
          script: "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (\(number), 1, 1, now())")
      }
      #expect(try await CallerStore(pool: pool).state(of: number, for: client, at: now).state == .unlisted)
      // A second click is no second use of the right.
      try await service.suppress(number, at: now)
      #expect(try await stores.auditLog.events(AuditFilter(action: "right.suppress"), limit: 10).count == 1)
      // The journal has no number, and brings the suppression to another database.
      let text = try String(contentsOfFile: "\(folder)/erasures.jsonl", encoding: .utf8)
      #expect(!text.contains("\(number)") && text.hasSuffix("\n"))
      #expect(try await service.lift(number, by: .commandLine("Ada"), because: "Asked.", at: now + 1))
      #expect(try await stores.protection.load().rule(for: number) == nil)
      let lines = try ErasureJournal(path: "\(folder)/erasures.jsonl").entries().count
      #expect(try await !service.lift(number, by: .commandLine("Ada"), because: "Asked.", at: now + 1))
      #expect(try ErasureJournal(path: "\(folder)/erasures.jsonl").entries().count == lines)
      let first = ErasureJournal(path: "\(folder)/first.jsonl")
      try Data(text.utf8).write(to: URL(filePath: first.path))
      // A copy from before the lift does not bring the suppression back: the service's own journal has the lift.
      #expect(try await service.apply([first], at: now + 2).numbers == 0)
      #expect(try await !service.isSuppressed(number))
      #expect(try await self.service().apply([first], at: now + 2).numbers == 1)
      #expect(try await service.isSuppressed(number))
      // The later line counts.
      #expect(try await service.apply([ErasureJournal(path: "\(folder)/erasures.jsonl")], at: now + 3).numbers == 0)
      #expect(try await !service.isSuppressed(number))
    }
  }

  @Test func `a journal survives a line that a crash has cut short, and names a damaged one`() async throws {
    try await withTemporaryFolder { folder in
      let journal = ErasureJournal(path: "\(folder)/erasures.jsonl")
      #expect(try journal.entries().isEmpty)
      try journal.append(.erase, "aa", key: "k", at: now)
      let file = try #require(FileHandle(forWritingAtPath: journal.path))
      try file.seekToEnd()
      try file.write(contentsOf: Data(#"{"action":"erase","subj"#.utf8))
      try file.close()
      try journal.append(.erase, "bb", key: "k", at: now)
      #expect(try journal.entries().map(\.subject) == ["aa", "bb"])
      let other = ErasureJournal(path: "\(folder)/other.jsonl")
      try other.append(.erase, "bb", key: "k", at: now)
      try other.append(.restrict, "cc", key: "k", at: now)
      try journal.merge(other)
      try journal.merge(other)
      #expect(try journal.entries().map(\.subject) == ["aa", "bb", "cc"])
      // Only the line that was cut short is without its end, and none is empty.
      let text = try String(contentsOfFile: journal.path, encoding: .utf8)
      #expect(
        text.split(separator: "\n", omittingEmptySubsequences: false).map(\.isEmpty) == [
          false, false, false, false, true,
        ])
      try Data("{\"action\":\"burn\"}\n".utf8).write(to: URL(filePath: other.path))
      #expect(throws: ErasureJournalError.damaged(path: other.path, line: 1)) { try other.entries() }
    }
  }

  @Test func `lines that another key has written are counted, and the others are applied`() async throws {
    try await withTemporaryFolder { folder in
      let journal = ErasureJournal(path: "\(folder)/erasures.jsonl")
      try await service(journal).suppress(number, at: now)
      let other = RightsService(
        stores: stores, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 8, count: 32)), journal: journal)
      let app = try #require(
        try await stores.apps.app(key: try await stores.apps.create(name: "One", at: now).key, at: now))
      try await other.erase("user-17", of: app, at: now + 60)
      try await other.suppress(number + 1, at: now + 120)
      let applied = try await service().apply([journal], at: now + 180)
      #expect(applied.numbers == 1)
      #expect(
        applied.foreign == [.init(right: "erase", time: now + 60), .init(right: "suppress", time: now + 120)])
      let after = try await other.apply([journal], at: now + 180)
      #expect(after.numbers == 1 && after.foreign == [.init(right: "suppress", time: now)])
    }
  }
}
