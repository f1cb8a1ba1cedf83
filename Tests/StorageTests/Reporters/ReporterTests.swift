// SPDX-License-Identifier: Apache-2.0

import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Curation

@Suite(.database) struct ReporterTests {
  private var store: ReporterStore { ReporterStore(pool: pool, rangeSize: 3) }

  private func reporter(_ index: UInt8) -> [UInt8] { [UInt8](repeating: index, count: 16) }

  /// Each of the reporters reports each of the numbers: the last this long ago, and the first `over` days before.
  private func complain(
    _ reporters: ClosedRange<UInt8>, of numbers: ClosedRange<Int64>, daysAgo: Double, over days: Double = 0,
    _ category: ReportCategory = .fraud
  ) async throws {
    for number in numbers {
      let earlier = days * Double(numbers.upperBound - number) / Double(max(1, numbers.count - 1))
      let time = now - (daysAgo + earlier) * 86_400
      let reports = reporters.map { index in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: time, category: category, reporter: reporter(index))
      }
      _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
    }
  }

  private func recount(_ protected: ProtectedNumbers = .none) async throws -> ReporterStore.Summary {
    try await store.recount(protected: protected, at: now)
  }

  private func heat(of number: Int64) async throws -> Double {
    let standing = try await NumberStore(pool: pool).standing(of: number)
    return (Decay.heat.value(ofStoredSum: standing.heat, at: now) * 1e6).rounded() / 1e6
  }

  private func weights() async throws -> [Float] {
    try await pool.column("SELECT weight FROM reporter_weights ORDER BY reporter", as: Float.self)
  }

  private func established() async throws -> [[UInt8]] {
    try await pool.column("SELECT reporter FROM reporters WHERE is_established ORDER BY reporter")
  }

  /// All values that a recount may change, as text.
  private func everything() async throws -> [String] {
    let scale = Decay.heat.scale(at: now)
    return try await pool.column(
      """
      SELECT format('%s %s %s', number, encode(reporter, 'hex'), weight) FROM reports
      UNION ALL SELECT format('%s %s %s %s', number, encode(reporter, 'hex'), weight, category_id) FROM number_reporters
      UNION ALL SELECT format('%s %s %s %s', number, category_id, round((heat / \(scale))::numeric, 6), reporters)
        FROM number_categories
      UNION ALL SELECT format('%s %s %s %s', number, round((heat / \(scale))::numeric, 6), reports, reporters) FROM numbers
      UNION ALL SELECT format('%s %s', encode(reporter, 'hex'), weight) FROM reporter_weights
      UNION ALL SELECT format('%s %s %s %s %s %s', encode(reporter, 'hex'), numbers, established_at, judged, agreed,
                              brigades) FROM reporters
      ORDER BY 1
      """, as: String.self)
  }

  @Test func `reporters become established`() async throws {
    try await complain(1...2, of: 1...3, daysAgo: 20, over: 8)
    // The first report is too new, the last one came too soon after the first, or nobody else reports the numbers.
    try await complain(3...3, of: 1...3, daysAgo: 2, over: 8)
    try await complain(4...4, of: 1...3, daysAgo: 20, over: 6.9)
    try await complain(5...5, of: 1...1, daysAgo: 40)
    try await complain(5...5, of: 11...13, daysAgo: 20, over: 8)
    try await complain(6...7, of: 21...23, daysAgo: 20, over: 8)
    _ = try await recount()
    #expect(try await recount() == .init())
    #expect(try await established() == [reporter(1), reporter(2)])
    #expect(try await weights() == [1, 1])
    let fade = pow(0.5, 20.0 / 14)
    #expect(abs(try await heat(of: 3) - (2.5 * fade + 0.5 * pow(0.5, 2.0 / 14))) < 1e-5)
    #expect(try await recountAll().differences == [])
    // New reports have the new weight at once.
    try await complain(1...1, of: 9...9, daysAgo: 0)
    #expect(try await heat(of: 9) == 1)
  }

  @Test func `a reporter who is often wrong counts less until the decisions are undone`() async throws {
    try await complain(1...4, of: 1...8, daysAgo: 20, over: 8)
    try await complain(5...5, of: 1...8, daysAgo: 20, over: 8, .legitimate)
    _ = try await recount()
    let before = try await everything()

    let decisions = DecisionService(pool: pool)
    var made: [Decision] = []
    for number in 1...6 as ClosedRange<Int64> {
      let decision = try Decision(number: number, treatment: .allow, decidedBy: "Ada", decidedAt: now - 86_400)
      _ = try await decisions.record(decision)
      made.append(decision)
    }
    // Reports after the decision are not counted.
    try await complain(6...6, of: 1...6, daysAgo: 0.5)
    let after = now
    #expect(try await recount().reporters == 5)
    let wrong = Float(ReporterWeight.accuracy(agreed: 0, judged: 6))
    #expect(try await weights() == [wrong, wrong, wrong, wrong, 1])
    #expect(try await recountAll().differences == [])
    #expect(try await recount() == .init())

    for decision in made {
      #expect(try await decisions.undo(decision.id, of: decision.number, decidedBy: "Bob", at: after) == .undone)
    }
    for id in try await pool.withConnection({ connection in
      try await connection.query(
        "SELECT report_id FROM reports WHERE reporter = \(reporter(6))"
      ).map { try $0.decode(0, as: UUID.self) }
    }) {
      _ = try await ReportStore(pool: pool).withdraw(reportID: id, appID: 1, at: now)
    }
    try await pool.execute("DELETE FROM reports WHERE reporter = \(reporter(6))")
    _ = try await recount()
    #expect(try await everything() == before)
  }

  /// Its app may have sent the report after the decision.
  @Test func `a report that counts on its own day is no agreement with a decision`() async throws {
    for number in 1...6 as ClosedRange<Int64> {
      let reports = (1...2 as ClosedRange<UInt8>).map { index in
        var report = Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: now - 5 * 86_400, category: .fraud,
          reporter: reporter(index))
        if index == 1 { report.countOnOwnDay(at: now) }
        return report
      }
      _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now - 5 * 86_400)
      let decision = try Decision(number: number, treatment: .allow, decidedBy: "Ada", decidedAt: now - 86_400)
      _ = try await DecisionService(pool: pool).record(decision)
    }
    _ = try await recount()
    let judged = try await pool.column("SELECT get_byte(reporter, 0) FROM reporters WHERE judged = 6", as: Int32.self)
    #expect(judged == [2])
  }

  @Test func `repeating a report against a decision does not improve the record`() async throws {
    try await complain(1...4, of: 1...6, daysAgo: 20, over: 8)
    for number in 1...6 as ClosedRange<Int64> {
      _ = try await DecisionService(pool: pool).record(
        try Decision(number: number, treatment: .allow, decidedBy: "Ada", decidedAt: now - 86_400))
    }
    _ = try await recount()
    let wrong = Float(ReporterWeight.accuracy(agreed: 0, judged: 6))
    #expect(try await weights() == [wrong, wrong, wrong, wrong])
    try await complain(1...1, of: 1...6, daysAgo: 0.5)
    _ = try await recount()
    #expect(try await weights() == [wrong, wrong, wrong, wrong])
    // Nor does a newer vote after the decision.
    try await complain(1...1, of: 1...6, daysAgo: 0.25, .legitimate)
    _ = try await recount()
    #expect(try await weights() == [wrong, wrong, wrong, wrong])
  }

  @Test func `withdrawing a report against a decision does not improve the record`() async throws {
    try await complain(1...4, of: 1...6, daysAgo: 20, over: 8)
    for number in 1...6 as ClosedRange<Int64> {
      _ = try await DecisionService(pool: pool).record(
        try Decision(number: number, treatment: .allow, decidedBy: "Ada", decidedAt: now - 86_400))
    }
    let wrong = Float(ReporterWeight.accuracy(agreed: 0, judged: 6))
    func withdraw(at time: Date) async throws {
      try await pool.execute("UPDATE reports SET withdrawn_at = \(time)")
      _ = try await recount()
    }
    _ = try await recount()
    #expect(try await weights() == [wrong, wrong, wrong, wrong])
    try await withdraw(at: now - 3_600)
    // Nor is a reporter without remaining reports established.
    #expect(try await weights() == [Float](repeating: wrong * Float(ReporterWeight.newcomer), count: 4))
    // Withdrawn before the decision, it was a mistake that the reporter noticed alone.
    try await withdraw(at: now - 2 * 86_400)
    #expect(try await weights() == [])
  }

  @Test func `a reporter caught in a brigade has no weight until the decision is undone`() async throws {
    try await complain(1...3, of: 1...3, daysAgo: 20, over: 8)
    try await complain(10...15, of: 1...1, daysAgo: 1)
    _ = try await recount()
    let before = try await everything()
    let finding = BrigadeDetection.Finding(
      reason: .newReporters(HoldReason.Marks(reporters: 6, new: 6, others: 0)),
      reporters: (10...15).map { Reporter(reporter($0)) })
    _ = try await HoldStore(pool: pool).hold([(1, finding)], at: now - 3_600)
    #expect(try await recount() == .init())

    let decisions = DecisionService(pool: pool)
    let mistake = try Decision(number: 1, treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: now - 60)
    _ = try await decisions.record(mistake)
    // The decision counts once a second person has confirmed it.
    #expect(try await recount() == .init())
    let opinion = try ReviewOpinion(
      number: 1, decisionID: mistake.id, treatment: .allow, note: nil, account: "Bob", reviewedAt: now - 30)
    #expect(try await ReviewService(pool: pool).record(opinion, role: .moderator) == .recorded)
    #expect(try await recount() == .init(reporters: 9, numbers: 1))
    #expect(abs(try await heat(of: 1) - 3 * pow(0.5, 28.0 / 14)) < 1e-5)
    // Also for later reports.
    try await complain(10...15, of: 2...2, daysAgo: 0)
    #expect(abs(try await heat(of: 2) - 3 * pow(0.5, 24.0 / 14)) < 1e-5)
    try await pool.execute("DELETE FROM reports WHERE number = 2 AND weight = 0")
    _ = try await recountAll(repairs: true)

    _ = try await decisions.undo(mistake.id, of: 1, decidedBy: "Bob", at: now)
    _ = try await recount()
    #expect(try await everything() == before)
  }

  @Test func `reports of a protected number have no weight until it is unprotected`() async throws {
    try await complain(1...3, of: 1...3, daysAgo: 20, over: 8)
    _ = try await recount()
    let before = try await everything()
    let protected = ProtectedNumbers(patterns: [], numbers: [(2, "Bank")])
    #expect(try await recount(protected) == .init(reporters: 0, numbers: 1))
    #expect(try await heat(of: 2) == 0)
    #expect(try await NumberStore(pool: pool).standing(of: 2).reports == 3)
    // Meanwhile the number establishes nobody.
    #expect(try await recount(protected) == .init(reporters: 3, numbers: 0))
    #expect(try await recount() == .init(reporters: 0, numbers: 1))
    #expect(try await recount() == .init(reporters: 3, numbers: 0))
    #expect(try await everything() == before)
  }

  @Test func `a recount during incoming reports loses none`() async throws {
    try await complain(1...20, of: 1...6, daysAgo: 20)
    let (pool, store, now) = (pool, store, now)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<3 as Range<UInt8> {
        group.addTask {
          for round in 0..<15 as Range<UInt8> {
            let reports = (1...6 as ClosedRange<Int64>).map { number in
              Report(
                number: number, appID: 2, reportID: UUID(), reportedAt: now, category: .robocall,
                reporter: [UInt8](repeating: 100 + writer * 15 + round, count: 16))
            }
            _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now + Double(round))
          }
        }
      }
      group.addTask {
        for round in 0..<6 {
          let protected = ProtectedNumbers(patterns: [], numbers: round % 2 == 0 ? [(2, "Bank"), (5, "Bank")] : [])
          _ = try await store.recount(protected: protected, at: now)
        }
      }
      try await group.waitForAll()
    }
    _ = try await recount()
    #expect(try await recount() == .init())
    #expect(try await recountAll().differences == [])
    let standing = try await NumberStore(pool: pool).standing(of: 5)
    #expect(standing.parts.reduce(0) { $0 + $1.reporters } == 65)
  }
}
