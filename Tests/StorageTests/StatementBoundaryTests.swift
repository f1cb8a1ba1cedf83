// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// Statements on both sides of their times, counts and orders.
@Suite(.database) struct StatementBoundaryTests {
  private let number: Int64 = 33_199_000_248
  private let ada = Actor(name: "Ada", role: .moderator)

  private func run(_ script: String) async throws {
    try await pool.withConnection { try await $0.execute(script: script) }
  }

  private func time(_ seconds: Double) -> String { "'\((now + seconds).ISO8601Format())'::timestamptz" }

  // MARK: Queue

  private func enqueue(_ count: Int, spacing: Double = 86_400) async throws -> [Int64] {
    let numbers = (0..<count).map { number + Int64($0) }
    for (place, number) in numbers.enumerated() {
      _ = try await pool.run(SQL.enqueueCases([(number, .held)], at: now - Double(place) * spacing))
    }
    return numbers
  }

  private func open(
    _ filter: QueueFilter = QueueFilter(), by worker: Actor? = nil, skipping: [Int64] = [], limit: Int = 100
  ) async throws -> [Int64] {
    try await pool.run(
      SQL.findOpenCases(skipped: skipping, worker: worker ?? ada, filter: filter, time: now, limit: limit))
  }

  @Test func `each condition of a filter selects its cases`() async throws {
    let numbers = try await enqueue(8)
    try await run(
      """
      UPDATE queue SET country = 'US' WHERE number = \(numbers[1]);
      UPDATE queue SET category_id = 1 WHERE number = \(numbers[2]);
      UPDATE queue SET causes = 4 WHERE number = \(numbers[3]);
      UPDATE queue SET level = 1 WHERE number = \(numbers[4]);
      UPDATE queue SET level = 2 WHERE number = \(numbers[5]);
      UPDATE queue SET assigned_to = 'Bob' WHERE number = \(numbers[6]);
      UPDATE queue SET assigned_to = 'Ada' WHERE number = \(numbers[7]);
      """)
    let all = Set(numbers)
    #expect(Set(try await open()) == all.subtracting([numbers[5], numbers[6]]))
    let triage = Actor(name: "Tom", role: .triage)
    #expect(Set(try await open(by: triage)) == Set([0, 1, 2, 3].map { numbers[$0] }))
    #expect(try await open(QueueFilter(country: "US")) == [numbers[1]])
    #expect(try await open(QueueFilter(category: .fraud)) == [numbers[2]])
    #expect(try await open(QueueFilter(cause: .appeal)) == [numbers[3]])
    #expect(Set(try await open(QueueFilter(days: 4))) == [numbers[4], numbers[7]])
    #expect(try await open(QueueFilter(isMine: true)) == [numbers[7]])
    try await run(
      """
      INSERT INTO assignment_rules (rule_id, country, category_id, accounts, added_by, added_at)
      VALUES (gen_random_uuid(), 'US', NULL, '{Ada}', 'Ada', \(time(0))), (gen_random_uuid(), NULL, 1, '{Bob,Ada}', 'Ada', \(time(0))),
        (gen_random_uuid(), 'US', 1, '{Ada}', 'Ada', \(time(0))), (gen_random_uuid(), 'FR', NULL, '{Bob}', 'Ada', \(time(0)))
      """)
    #expect(Set(try await open(QueueFilter(isMine: true))) == [numbers[1], numbers[2], numbers[7]])
    // The oldest is the most urgent.
    #expect(try await open(skipping: [numbers[7]], limit: 2) == [numbers[4], numbers[3]])
    try await run(
      """
      UPDATE queue SET claim_id = gen_random_uuid(), claimed_by = 'Bob', claimed_until = \(time(0)) WHERE number = \(numbers[0]);
      UPDATE queue SET claim_id = gen_random_uuid(), claimed_by = 'Bob', claimed_until = \(time(1)) WHERE number = \(numbers[1]);
      INSERT INTO queue_passes (number, account, passed_at) VALUES (\(numbers[2]), 'Ada', \(time(0))),
        (\(numbers[3]), 'Bob', \(time(0))), (\(numbers[7]), 'Ada', \(time(0)))
      """)
    #expect(Set(try await open()) == Set([0, 3, 4, 7].map { numbers[$0] }))
  }

  @Test func `the most urgent open cases come first, up to the limit`() async throws {
    let numbers = try await enqueue(5)
    #expect(try await open(limit: 5) == numbers.reversed())
    #expect(try await open(skipping: [numbers[4]], limit: 2) == [numbers[3], numbers[2]])
    try await run("UPDATE queue SET urgency = 7")
    #expect(try await open(limit: 3) == Array(numbers.prefix(3)))
  }

  @Test func `waiting cases are counted by whole days`() async throws {
    for (place, seconds) in [
      0, 86_399, 86_400, 3 * 86_400 - 1, 3 * 86_400, 7 * 86_400 - 1, 7 * 86_400, 30 * 86_400 - 1, 30 * 86_400,
    ]
    .enumerated() {
      _ = try await pool.run(SQL.enqueueCases([(number + Int64(place), .held)], at: now - Double(seconds)))
    }
    let groups = try await pool.run(SQL.countQueue(time: now))
    #expect(
      groups.sorted { $0.days < $1.days }.map { "\($0.days): \($0.count)" } == [
        "0: 2", "1: 2", "3: 2", "7: 2", "30: 1",
      ])
  }

  @Test func `an account has twenty filters and may change each`() async throws {
    func save(_ name: String, by account: String = "Ada", _ country: String? = nil) async throws -> Bool {
      let filter = try SavedFilter(
        account: account, name: name, filter: QueueFilter(country: country), order: country == nil ? .urgency : .age,
        isShared: country != nil)
      return try await !pool.run(SQL.saveFilter(filter: filter, time: now)).isEmpty
    }
    for name in ["", "   ", "two\nlines", String(repeating: "é", count: 61)] {
      await #expect(throws: RuleViolation.self) { try await save(name) }
    }
    #expect(try await save(String(repeating: "é", count: 60)))
    for place in 2...20 { #expect(try await save("F\(place)")) }
    #expect(try await !save("F21"))
    #expect(try await save("F20", by: "Ada", "DE"))
    let saved = try #require(try await QueueStore(pool: pool).savedFilters(of: "Ada").first { $0.name == "F20" })
    #expect(saved.filter == QueueFilter(country: "DE") && saved.order == .age && saved.isShared)
    #expect(try await save("F21", by: "Bob"))
  }

  @Test func `the nearest protected number of a block of a hundred is the neighbor`() async throws {
    func nearest() async throws -> String? {
      try await pool.run(SQL.readProtectedNeighbour(number: number)).first?.what
    }
    func protect(_ found: Int64) async throws {
      try await ProtectionStore(pool: pool).add([(.number(found), "Bank")], by: "Ada", at: now)
    }
    try await protect(33_199_000_199)
    try await protect(33_199_000_300)
    try await protect(number)
    #expect(try await nearest() == nil)
    try await protect(33_199_000_299)
    #expect(try await nearest() == "+33199000299")
    try await protect(33_199_000_200)
    #expect(try await nearest() == "+33199000200")
    try await protect(33_199_000_250)
    try await protect(33_199_000_246)
    #expect(try await nearest() == "+33199000246")
  }

  // MARK: Messages, leases, codes

  @Test func `messages are taken when they are due, the oldest first`() async throws {
    let store = OutboxStore(pool: pool)
    try await store.replaceReceivers(["https://a.example", "https://b.example"])
    for (place, seconds) in [0.0, 10, 20].enumerated() {
      try await store.record(Event(.test, at: now, ["place": .count(place)]), at: now + seconds)
    }
    func take(_ seconds: Double, limit: Int = 10, isMail: Bool? = nil) async throws -> [Date] {
      try await store.take(at: now + seconds, until: now + seconds + 60, limit: limit, isMail: isMail).map(\.queuedAt)
        .sorted()
    }
    #expect(try await take(9.5, isMail: true) == [])
    #expect(try await take(9.5, limit: 1) == [now])
    #expect(try await take(10, isMail: false) == [now, now + 10, now + 10])
    #expect(try await take(10) == [])
    // Taken again when the time of the former is over.
    #expect(try await take(69.4375) == [now + 20, now + 20])
    #expect(try await take(69.5) == [now])
    let taken = try await store.take(at: now + 70, until: now + 200, limit: 10)
    #expect(taken.allSatisfy { $0.attempts == 2 } && taken.count == 3)
    try await store.settle(taken[0], at: now + 71)
    try await store.postpone(taken[1], until: nil, failure: .unexpectedStatus(status: 500))
    #expect(try await store.waiting(limit: 3).count == 3)
    #expect(try await store.waiting().map(\.isGivenUp).count { $0 } == 1)
    #expect(try await store.waiting().count == 5)
    try await store.replaceReceivers(["https://b.example"])
    #expect(try await store.receivers().map(\.receiver) == ["https://b.example"])
  }

  @Test func `an answer that was sent is not withdrawn`() async throws {
    let store = OutboxStore(pool: pool)
    let appeals = [UUID(), UUID(), UUID()]
    for appeal in appeals {
      let event = Event(.appealAnswered, at: now, ["appeal": .text(appeal.uuidString)])
      _ = try await pool.run(SQL.queueMessage(event, to: "mailto:a@example.org", language: "de", at: now))
    }
    _ = try await store.take(at: now, until: now, limit: 1)
    _ = try await pool.run(SQL.withdrawAnswers(appeals: appeals))
    #expect(try await store.waiting().count == 1)
    let kept = try #require(try await store.take(at: now, until: now, limit: 9).first)
    #expect(kept.language == "de" && kept.attempts == 2)
    _ = try await pool.run(SQL.purgeMessages(before: now))
    #expect(try await store.waiting().count == 1)
    _ = try await pool.run(SQL.purgeMessages(before: now + 0.001))
    #expect(try await store.waiting().isEmpty)
  }

  @Test func `codes of owners have a number, an end and a count`() async throws {
    let day: Int32 = 20_775
    func add(_ number: Int64, _ day: Int32, isSent: Bool = false) async throws -> Bool {
      let hash = [UInt8](repeating: 1, count: 32)
      return try await !pool.run(
        SQL.addOwnerCode(number: number, day: day, hash: hash, expiresAt: now + 60, isSent: isSent)
      ).isEmpty
    }
    for place in 0..<4 { #expect(try await add(number, day, isSent: place < 2) == (place < 3)) }
    #expect(try await add(number, day + 1, isSent: true))
    #expect(try await add(number + 1, day))
    #expect(try await pool.run(SQL.countSentCodes(day: day)) == [2])
    #expect(try await pool.run(SQL.tryOwnerCodes(number: number, time: now + 60)).isEmpty)
    for attempt in 1...6 {
      let tried = try await pool.run(SQL.tryOwnerCodes(number: number, time: now + 59.999))
      #expect(tried.count == (attempt < 6 ? 4 : 0))
    }
    let pass = [UInt8](repeating: 2, count: 32)
    func use() async throws -> [Int64] {
      try await pool.run(
        SQL.useOwnerCode(number: number, day: day, place: 1, time: now, pass: pass, expiresAt: now + 3_600))
    }
    #expect(try await use() == [number])
    #expect(try await use() == [])
    #expect(try await pool.run(SQL.readOwnerPass(hash: pass, time: now + 3_599.999)).count == 1)
    #expect(try await pool.run(SQL.readOwnerPass(hash: pass, time: now + 3_600)).isEmpty)
    #expect(try await pool.run(SQL.purgeOwnerProofs(before: now + 60)) == [0])
    #expect(try await pool.run(SQL.purgeOwnerProofs(before: now + 60.001)) == [5])
    #expect(try await pool.run(SQL.purgeOwnerProofs(before: now + 3_600.001)) == [1])
  }

  @Test func `a code is sent where there is an event and a gateway`() async throws {
    let store = OwnerProofStore(pool: pool)
    let event = Event(.ownerCode, at: now, [:])
    let gateway = ["https://a.example"]
    let cases: [(Event?, [String])] = [(nil, []), (event, []), (nil, gateway), (event, gateway)]
    for (place, (event, gateways)) in cases.enumerated() {
      let hash = [UInt8](repeating: UInt8(place), count: 32)
      #expect(try await store.add(hash, for: number + Int64(place), at: now, event: event, to: gateways))
    }
    #expect(try await store.sentCodes(at: now) == 1)
    #expect(try await OutboxStore(pool: pool).waiting().count == 1)
  }

  // MARK: Lists of people

  @Test func `a reporter has a thousand personal numbers and may change each`() async throws {
    let store = PersonalNumberStore(pool: pool)
    let (one, other) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
    let app = try await AppStore(pool: pool).create(name: "App", at: now)
    let key = try #require(try await AppStore(pool: pool).app(key: app.key, at: now)?.keyID)
    func add(_ number: Int64, _ isPrefix: Bool = false, isBlocked: Bool = true, of reporter: [UInt8]) async throws
      -> Bool
    {
      let entry = PersonalNumber(number: number, isPrefix: isPrefix, isBlocked: isBlocked, addedAt: now)
      return try await store.add(entry, of: reporter, keyID: key)
    }
    for place in 0..<999 as Range<Int64> { _ = try await add(number + place, of: one) }
    #expect(try await add(number, true, of: one))
    #expect(try await !add(number + 999, of: one))
    #expect(try await !add(number + 1, true, of: one))
    #expect(try await add(number, isBlocked: false, of: one))
    #expect(try await add(number, of: other))
    #expect(try await store.entries(of: one).prefix(3).map(\.isPrefix) == [false, true, false])
    // Only the same entry is removed.
    for (isPrefix, isBlocked) in [(false, true), (true, false)] {
      try await store.remove(number, isPrefix: isPrefix, isBlocked: isBlocked, of: one)
    }
    #expect(try await store.entries(of: one).count == 1_000)
    try await store.remove(number, isPrefix: true, isBlocked: true, of: one)
    #expect(try await store.entries(of: one).count == 999)
    #expect(try await store.entries(of: other).count == 1)
    _ = try await pool.run(SQL.withdrawPersonalNumbers(keyID: key, since: now - 9, until: now))
    _ = try await pool.run(SQL.withdrawPersonalNumbers(keyID: key, since: now + 0.001, until: now + 9))
    _ = try await pool.run(SQL.withdrawPersonalNumbers(keyID: key + 1, since: now, until: now + 9))
    #expect(try await store.entries(of: one).count == 999)
    // Of a key that has ended before the time.
    let retention = RetentionStore(pool: pool)
    #expect(try await retention.purgePersonalNumbers(endedBefore: now) == 0)
    try await run("UPDATE app_keys SET expires_at = \(time(10)), revoked_at = \(time(20)) WHERE key_id = \(key)")
    #expect(try await retention.purgePersonalNumbers(endedBefore: now + 10) == 0)
    #expect(try await retention.purgePersonalNumbers(endedBefore: now + 10.001) == 1_000)
  }

  @Test func `reporters are counted and listed by their records`() async throws {
    for (place, (judged, brigades, isEstablished)) in [
      (0, 0, false), (4, 0, true), (5, 0, true), (6, 1, false), (5, 2, false),
    ].enumerated() {
      try await run(
        """
        INSERT INTO reporters (reporter, first_received_at, numbers, judged, agreed, brigades, is_established, recounted_at)
        VALUES (decode('\(String(repeating: "0\(place)", count: 16))', 'hex'), \(time(0)), 1, \(judged), \(min(judged, 1)), \(brigades),
          \(isEstablished), \(time(Double(place))))
        """)
    }
    let counts = try #require(try await pool.run(SQL.countReporters()).first)
    #expect([counts.known, counts.established, counts.judged, counts.caught] == [5, 2, 3, 2])
    #expect(counts.recountedAt == now + 4)
    #expect(try await pool.run(SQL.readJudgedReporters(after: nil, limit: 3)).map(\.record.judged) == [6, 5, 5])
    #expect(try await pool.run(SQL.readCaughtReporters(after: nil, limit: 5)).map(\.record.brigades) == [2, 1])
  }

  @Test func `versions of templates follow each other`() async throws {
    let store = TemplateStore(pool: pool)
    let (reasons, other) = (
      TextTemplates.List(.reason, language: "en", category: nil),
      TextTemplates.List(.reason, language: "de", category: nil)
    )
    #expect(try await store.save([.own("A"), .own("B")], as: reasons, after: 0, by: ada, at: now))
    #expect(try await store.save([.own("C")], as: other, after: 1, by: ada, at: now + 1))
    #expect(try await !store.save([.own("D")], as: other, after: 1, by: ada, at: now + 2))
    #expect(try await !store.save([.own("D")], as: other, after: 3, by: ada, at: now + 2))
    #expect(try await store.save([.own("E")], as: reasons, after: 2, by: ada, at: now + 3))
    #expect(try await store.version().lists == [reasons: [.own("E")], other: [.own("C")]])
    #expect(try await store.version(1).lists == [reasons: [.own("A"), .own("B")]])
    #expect(try await store.history(limit: 2).map(\.version) == [3, 2])
  }

  @Test func `operators see the newest publication, and what the last run has left`() async throws {
    let digest = "decode(repeat('00', 32), 'hex')"
    try await run(
      """
      INSERT INTO publications (serial, state, cause, as_of, published_at, manifest_sha256) VALUES
        (1, 'published', 'schedule', \(time(0)), \(time(1)), \(digest)), (2, 'published', 'command', \(time(0)), \(time(2)), \(digest)),
        (3, 'refused', 'schedule', \(time(0)), NULL, NULL), (4, 'published', 'revocation', \(time(0)), \(time(4)), \(digest));
      INSERT INTO publications (serial, state, as_of, started_at, heartbeat_at) VALUES (5, 'running', \(time(0)), \(time(0)), \(time(0)));
      INSERT INTO publication_packs (serial, name, kind, pack_serial, entries, size_bytes)
        SELECT s, 'p' || n, 'blocking', s, s, n FROM generate_series(1, 4) s, generate_series(1, 3) n;
      INSERT INTO publication_gates (serial, gate, pack, passed, finding, overruled_by, overruled_why) VALUES
        (3, 'size', 'a', false, '{"code":"x"}', NULL, NULL), (3, 'churn', 'a', false, '{"code":"x"}', 'Ada', 'Known.'),
        (3, 'cap', 'a', true, '{"code":"x"}', NULL, NULL), (1, 'cap', 'a', false, '{"code":"x"}', NULL, NULL);
      INSERT INTO source_feeds (app_id, name, url, format, every_seconds, options, ceiling, added_at, next_at, failures, removed_at)
        SELECT n, 's' || n, 'https://a/', 'csv', 3600, '{"countries": [], "categories": {}}', 'review', \(time(0)) + n * interval '1 hour',
          \(time(0)), n - 1, CASE WHEN n = 4 THEN \(time(0)) END FROM generate_series(1, 4) n;
      """)
    let figures = try await OperationStore(pool: pool).figures()
    #expect(figures.newest == .init(serial: 4, publishedAt: now + 4, entries: 12, bytes: 6))
    #expect(figures.packs.map { "\($0.name) \($0.entries) \($0.bytes)" } == ["p1 4 1", "p2 4 2", "p3 4 3"])
    #expect(
      figures.runs.map { "\($0.state) \($0.cause) \($0.count)" } == [
        "published command 1", "published revocation 1", "published schedule 1", "refused schedule 1",
      ])
    #expect(figures.failedGates == 1 && figures.goodSources == 1 && figures.failingSources == 2)
    #expect(figures.oldestSource == now + 3_600 && figures.sources.map(\.name) == ["s1", "s2", "s3"])
  }

  @Test func `reviews are about the decision in force`() async throws {
    try await TestDatabase.current.turnReviewsOn()
    let (former, disputed, open) = (UUID(), UUID(), UUID())
    for (place, (decision, state)) in [(former, "disputed"), (disputed, "disputed"), (open, "open"), (former, "open")]
      .enumerated()
    {
      try await run(
        """
        INSERT INTO golden_cases (number, decision_id, decided_by, decision, marked_by, marked_at)
          VALUES (\(number + Int64(place)), '\(decision)', 'Bob', 'block', 'Root', \(time(0)));
        INSERT INTO decision_reviews (number, decision_id, cause, decided_by, decision, state, opened_at)
          VALUES (\(number + Int64(place)), '\(decision)', 'reach', 'Bob', 'block', '\(state)', \(time(0)));
        INSERT INTO review_opinions (number, decision_id, account, decision, is_golden, reviewed_at)
          SELECT \(number + Int64(place)), '\(decision)', a, 'allow', a = 'Eve', \(time(1)) FROM unnest('{Cleo,Eve}'::text[]) a
          WHERE '\(state)' = 'disputed';
        INSERT INTO number_decisions (number, decision, decision_id, decided_at)
          VALUES (\(number + Int64(place)), 'block', '\(decision == former ? UUID() : decision)', \(time(0)));
        """)
    }
    #expect(try await pool.run(SQL.readOpenReviews(account: "Ada", limit: 9)).map(\.item.decisionID) == [open])
    #expect(
      Set(try await pool.run(SQL.readGoldenItems(account: "Ada", limit: 9)).map(\.item.number)) == [
        number + 1, number + 2,
      ])
    #expect(try await pool.run(SQL.readGoldenItems(account: "Cleo", limit: 9)).map(\.item.number) == [number + 2])
    let disputes = try await pool.run(SQL.readDisputes(number: nil, limit: 9))
    #expect(disputes.map(\.decisionID) == [disputed] && disputes.map(\.opinion.account) == ["Cleo"])
    for (place, decision, state, isFound) in [
      (0, former, "disputed", false), (1, disputed, "disputed", true), (1, disputed, "open", false),
      (1, open, "disputed", false),
      (2, open, "open", true), (3, former, "open", false),
    ] as [(Int64, UUID, String, Bool)] {
      let lock = SQL.lockReview(number: number + place, decisionID: decision, state: state)
      #expect(try await pool.run(lock).count == (isFound ? 1 : 0))
      let item = SQL.findReviewItem(number: number + place, decisionID: decision, account: "Ada")
      #expect(try await pool.run(item).count == (isFound && state == "open" ? 1 : 0))
    }
    #expect(try await pool.run(SQL.readDisputes(number: number, limit: 9)).isEmpty)
    #expect(try await pool.run(SQL.readOpinions(number: number, decisionID: former)).map(\.account) == ["Cleo"])
  }
}
