// SPDX-License-Identifier: Apache-2.0

import Foundation
import Intake
import PostgreSQL
import Storage
import Synchronization
import ServerSupport
import TestSupport
import Testing
import Support

@testable import Jobs

/// The intake over a real database.
@Suite(.database) struct DatabaseIntakeTests {
  private func submission(_ number: String = "+33199000248", category: String = "fraud") -> ReportSubmission {
    ReportSubmission(
      number: number, category: category, reporter: UUID().uuidString, reportID: UUID().uuidString,
      reportedAt: Timestamp.format(Date()))
  }

  private func withIntake(
    _ metrics: PrometheusMetricsFactory = PrometheusMetricsFactory(), capacity: Int = 20_000,
    _ body: (ReportIntake, App) async throws -> Void
  ) async throws {
    let intake = ReportIntake(
      store: ReportStore(pool: pool), pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)),
      capacity: capacity, patience: .seconds(300), stallLimit: .seconds(300), metrics: metrics)
    let app = try await AppStore(pool: pool).source(named: "Test", at: Date())
    async let running: Void = intake.run()
    defer { intake.close() }
    try await body(intake, app)
    intake.close()
    await running
  }

  @Test func `a batch has a result for each item`() async throws {
    try await withIntake { intake, app in
      let good = submission()
      var conflict = good
      conflict.category = "survey"
      let results = try await intake.take(
        [good, submission("x"), good, conflict, submission()], from: app, network: [UInt8](repeating: 5, count: 8))
      let outcomes = results.map { try? $0.get().outcome }
      #expect(outcomes == [.created, nil, .duplicate, .conflict, .created])
      guard case .failure(let error as InvalidSubmission) = results[1] else { throw try #require(nil as (any Error)?) }
      #expect(error.problems.map { $0.nested(in: "1").field } == ["1/number"])
      #expect(try results[0].get().report.network == [5, 5, 5, 5, 5, 5, 5, 5])
      #expect(try await intake.take([], from: app).isEmpty)
    }
  }

  @Test func `reports of one id are compared, whatever their numbers`() async throws {
    try await withIntake { intake, app in
      let first = submission("+33199000200")
      let others = (201..<220).map { number in
        var other = submission("+33199000\(number)")
        other.reportID = first.reportID
        return other
      }
      let outcomes = try await intake.take([first] + others, from: app).map { try $0.get().outcome }
      #expect(outcomes == [.created] + others.map { _ in .conflict })
    }
  }

  @Test func `a half of the numbers that cannot be stored is a failure`() async throws {
    try await pool.withConnection { connection in
      try await connection.execute(
        script: """
          CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END$$;
          CREATE TRIGGER fail BEFORE INSERT ON reports FOR EACH ROW
          WHEN (mod(NEW.number * 11400714819323198485, 18446744073709551616) >= 9223372036854775808) EXECUTE FUNCTION fail();
          """)
    }
    try await withIntake { intake, app in
      let reports = (200..<220).map { submission("+33199000\($0)") }
      let halves = (200..<220).map { ReportIntake.half(of: 33_199_000_000 + $0) }
      #expect(Set(halves) == [0, 1])
      let outcomes = try await intake.take(reports, from: app).map { try? $0.get().outcome }
      #expect(outcomes == halves.map { $0 == 0 ? .created : nil })
      #expect(intake.isFailing(within: .seconds(600)))
      try await pool.withConnection { try await $0.execute(script: "DROP TRIGGER fail ON reports") }
      let again = try await intake.take(reports, from: app).map { try $0.get().outcome }
      #expect(again == halves.map { $0 == 0 ? .duplicate : .created })
      #expect(!intake.isFailing(within: .seconds(600)))
    }
  }

  @Test func `nothing of a request is stored where a half of the numbers has no room`() async throws {
    let numbers = (200..<240).map { 33_199_000_000 + Int64($0) }
    let halves = Dictionary(grouping: numbers) { ReportIntake.half(of: $0) }
    let some = try #require(halves[0]?.prefix(1)) + #require(halves[1]?.prefix(6))
    try await withIntake(capacity: 5) { intake, app async throws in
      await #expect(throws: IntakeError.full) { try await intake.take(some.map { submission("+\($0)") }, from: app) }
      let fewer = some.dropLast().map { submission("+\($0)") }
      #expect(try await intake.take(fewer, from: app).map { try $0.get().outcome } == fewer.map { _ in .created })
      #expect(try await pool.column("SELECT count(*) FROM reports", as: Int64.self) == [Int64(fewer.count)])
    }
  }

  @Test func `a report that the database refuses fails alone`() async throws {
    try await pool.withConnection {
      try await $0.execute(script: "ALTER TABLE number_reporters ADD CHECK (category_id <> 5)")
    }
    try await withIntake { intake, app in
      let results = try await intake.take(
        [submission(), submission(category: "survey"), submission()], from: app)
      #expect(results.map { (try? $0.get().outcome) } == [.created, nil, .created])
    }
  }

  @Test func `a report of a dropped month is refused alone`() async throws {
    try await pool.execute("INSERT INTO report_retention VALUES (true, now() - interval '40 days')")
    let metrics = PrometheusMetricsFactory()
    func refusals() async -> [Substring] {
      await metrics.text().split(separator: "\n").filter {
        $0.contains("rejects_total{") && $0.contains("before_retention")
      }
    }
    try await withIntake(metrics) { intake, app in
      var old = submission()
      old.reportedAt = Timestamp.format(Date().addingTimeInterval(-80 * 86_400))
      let alone = old
      await #expect(throws: InvalidSubmission.self) { try await intake.take(alone, from: app) }
      #expect(await refusals().map { $0.suffix(2) } == [" 1"])
      let results = try await intake.take([submission(), old, submission()], from: app)
      #expect(results.map { (try? $0.get().outcome) } == [.created, nil, .created])
      guard case .failure(let error as InvalidSubmission) = results[1] else { throw try #require(nil as (any Error)?) }
      #expect(error.problems.map(\.field) == ["reported_at"] && error.problems.map(\.code) == ["before_retention"])
      #expect(await refusals().map { $0.suffix(2) } == [" 2"])
    }
  }

  @Test func `a batch fails when the database is unavailable`() async throws {
    try await withIntake { intake, app in
      await pool.shutdown()
      await #expect(throws: PostgresError.self) { try await intake.take([submission(), submission()], from: app) }
    }
  }

  @Test func `a report is withdrawn by the ID that its app assigned`() async throws {
    try await withIntake { intake, app in
      let mine = submission()
      _ = try await intake.take(mine, from: app)
      let other = try await AppStore(pool: pool).source(named: "Other", at: Date())
      #expect(try await intake.withdraw(reportID: mine.reportID, from: other) == .notFound)
      #expect(try await intake.withdraw(reportID: mine.reportID.lowercased(), from: app) == .withdrawn)
      #expect(try await intake.withdraw(reportID: mine.reportID, from: app) == .alreadyWithdrawn)
      #expect(try await intake.take(mine, from: app).outcome == .withdrawn)
      await #expect(throws: InvalidSubmission.self) { try await intake.withdraw(reportID: "x", from: app) }
    }
  }

  /// The second of two nodes has the second and the fourth quarter of all hashes.
  @Test func `a node that fails stops its own reports alone`() async throws {
    try await addWorkers()
    let store = ReportStore(pool: pool)
    let intake = ReportIntake(
      store: store, pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)), patience: .seconds(300),
      stallLimit: .seconds(300))
    let app = try await AppStore(pool: pool).source(named: "Test", at: Date())
    async let running: Void = intake.run()
    defer { intake.close() }
    // The first batch reads the places of shards.
    #expect(try await intake.take(submission(), from: app).outcome == .created)
    try await pool.withConnection { connection in
      try await connection.execute(
        script: """
          CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END$$;
          CREATE TRIGGER fail BEFORE INSERT ON reports FOR EACH ROW
          WHEN ((hashint8(NEW.number)::bigint + 2147483648) / 1073741824 % 2 = 1) EXECUTE FUNCTION fail();
          """)
    }
    let numbers = (200..<240).map { 33_199_000_000 + Int64($0) }
    #expect(Set(numbers.map { store.node(of: $0) }) == [1, 2])
    let outcomes = try await intake.take(numbers.map { submission("+\($0)") }, from: app).map { try? $0.get().outcome }
    #expect(outcomes == numbers.map { store.node(of: $0) == 1 ? .created : nil })
    #expect(!intake.isFailing(within: .seconds(600)))
    intake.close()
    await running
  }

  @Test func `a node that does not answer is an event of the day`() async throws {
    try await addWorkers(second: "/nowhere")
    let stores = Stores(pool: pool)
    try await stores.outbox.replaceReceivers(["https://example.org/hook"])
    let job = WarningJob(stores: stores, caseTarget: 1, rootExpiry: { nil }, logger: .forTests)
    for _ in 1...2 { try await job.lookForNodes(at: Date(timeIntervalSince1970: 1_800_000_000)) }
    let bodies = try await pool.column("SELECT body::text FROM outbox WHERE event = 'node_away'", as: String.self)
    #expect(bodies.count == 1 && bodies[0].contains("/nowhere:"))
  }

  @Test func `a record that cannot be written is an event of the day`() async throws {
    let stores = Stores(pool: pool)
    try await stores.outbox.replaceReceivers(["https://example.org/hook"])
    let records = RecordFiles(journal: nil, output: .file("/dev/null/audit.jsonl"))
    let job = WarningJob(stores: stores, caseTarget: 1, rootExpiry: { nil }, records: records, logger: .forTests)
    for _ in 1...2 { try await job.look(at: Date(timeIntervalSince1970: 1_800_000_000)) }
    let bodies = try await pool.column(
      "SELECT body::text FROM outbox WHERE event = 'record_unwritable'", as: String.self)
    #expect(bodies.count == 1 && bodies[0].contains("audit_output") && bodies[0].contains("/dev/null/audit.jsonl"))
  }

  @Test func `an identification batch is counted once`() async throws {
    let intake = IdentificationIntake(
      store: IdentificationStore(pool: pool), patience: .seconds(300), stallLimit: .seconds(300))
    async let running: Void = intake.run()
    defer { intake.close() }
    let app = try await AppStore(pool: pool).source(named: "Test", at: Date())
    var calls = IdentificationSubmission(
      batchID: UUID().uuidString,
      items: [.init(number: "+33199000248", named: 1, unknown: 2, day: String(Timestamp.format(Date()).prefix(10)))])
    #expect(try await intake.take(calls, from: app) == .created)
    #expect(try await intake.take(calls, from: app) == .duplicate)
    calls.items[0].named = 7
    #expect(try await intake.take(calls, from: app) == .conflict)
    #expect(try await IdentificationStore(pool: pool).counts(of: 33_199_000_248, at: Date())?.named == 1)
    intake.close()
    await running
  }

  @Test func `the retention job removes old data in every round`() async throws {
    try await withIntake { intake, app in
      _ = try await intake.take(submission(), from: app, network: [UInt8](repeating: 5, count: 8))
    }
    let rounds = Rounds()
    let job = RetentionJob(
      store: RetentionStore(pool: pool), logger: .forTests,
      now: { rounds.time }, sleep: { _ in try await rounds.next() })
    await job.run()
    // After 29 days, and after 31.
    #expect(rounds.seen == [1, 0])
    let deletions = try await RetentionStore(pool: pool).deletions(since: Date(timeIntervalSince1970: 0))
    #expect(deletions.map(\.kind) == ["networks"] && deletions.map(\.rows) == [1])
  }

  @Test func `months of reports are kept unless the operator limits retention`() async throws {
    try await withIntake { intake, app in _ = try await intake.take(submission(), from: app) }
    let later = Date().addingTimeInterval(500 * 86_400)
    @Sendable func expectReports(_ left: Int64, _ months: Int?, _ job: RetentionJob) async throws {
      try await job.runOnce()
      let count = try await pool.column("SELECT count(*) FROM reports", as: Int64.self)[0]
      #expect(count == left, "\(months ?? 0)")
    }
    try await TestDatabase.current.withClock(at: later) { pool in
      for (months, left) in [(nil, 1), (24, 1), (13, 0)] as [(Int?, Int64)] {
        try await expectReports(
          left, months,
          RetentionJob(
            store: RetentionStore(pool: pool), limits: .init(reportMonths: months), logger: .forTests, now: { later }))
      }
    }
  }

  /// Such as by a server that starts.
  @Test func `months of a table that is in use are dropped a minute later`() async throws {
    try await withIntake { intake, app in _ = try await intake.take(submission(), from: app) }
    let later = Date().addingTimeInterval(500 * 86_400)
    try await TestDatabase.current.withClock(at: later) { shifted in
      let waits = Mutex<[Duration]>([])
      try await pool.withConnection { reader in
        try await reader.execute(script: "BEGIN; LOCK TABLE reports IN ACCESS SHARE MODE")
        try await RetentionJob(
          store: RetentionStore(pool: shifted), limits: .init(reportMonths: 13), logger: .forTests, now: { later },
          sleep: { pause in
            waits.withLock { $0.append(pause) }
            try await reader.execute(script: "COMMIT")
          }
        ).runOnce()
      }
      #expect(waits.withLock { $0 } == [.seconds(60)])
    }
    let left = try await pool.column("SELECT count(*) FROM reports", as: Int64.self)[0]
    #expect(left == 0)
  }

  @Test func `a clock that was ahead drops no reports`() async throws {
    try await withIntake { intake, app in _ = try await intake.take(submission(), from: app) }
    let wrong = Date().addingTimeInterval(800 * 86_400)
    let error = try await #require(throws: StorageError.self) {
      try await RetentionJob(
        store: RetentionStore(pool: pool), limits: .init(reportMonths: 13), logger: .forTests, now: { wrong }
      ).runOnce()
    }
    // Both times are named.
    for time in [wrong, Date()] { #expect("\(error)".contains(Timestamp.format(time).prefix(10)), "\(error)") }
    try await withIntake { intake, app async throws in
      #expect(try await intake.take(submission(), from: app).outcome == .created)
    }
  }

  /// Days that pass from one round to the next, and how many networks are left after each.
  private final class Rounds: Sendable {
    private struct Over: Error {}
    private let pool = TestDatabase.current.pool
    private let state = Mutex<(days: Double, seen: [Int64])>((29, []))

    var time: Date { Date().addingTimeInterval(state.withLock { $0.days } * 86_400) }
    var seen: [Int64] { state.withLock { $0.seen } }

    func next() async throws {
      let left = try await pool.column("SELECT count(network) FROM reports", as: Int64.self)[0]
      let isOver = state.withLock { state in
        state.days += 2
        state.seen.append(left)
        return state.seen.count == 2
      }
      if isOver { throw Over() }
    }
  }

  @Test func `what is taken, repeated, refused and withdrawn is counted`() async throws {
    let metrics = PrometheusMetricsFactory()
    let intake = ReportIntake(
      store: ReportStore(pool: pool), pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)),
      patience: .seconds(300), stallLimit: .seconds(300), metrics: metrics)
    let app = try await AppStore(pool: pool).source(named: "Test", at: Date())
    async let running: Void = intake.run()
    let good = submission()
    var conflict = good
    conflict.category = "survey"
    _ = try await intake.take([good, good, conflict, submission("x"), submission()], from: app)
    #expect(try await intake.withdraw(reportID: good.reportID, from: app) == .withdrawn)
    _ = try await intake.take([good], from: app)
    intake.close()
    await running
    let lines = await metrics.text().split(separator: "\n")
    for (name, label, value) in [
      ("intake_reports_total", "created", 2), ("intake_reports_total", "duplicate", 1),
      ("intake_reports_total", "conflict", 1), ("intake_reports_total", "withdrawn", 1),
      ("intake_rejects_total", "not_a_number", 1),
    ] {
      #expect(lines.contains { $0.contains("ringfence_\(name){") && $0.contains(label) && $0.hasSuffix(" \(value)") })
    }
  }
}
