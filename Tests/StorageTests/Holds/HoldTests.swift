// SPDX-License-Identifier: Apache-2.0

import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Curation

@Suite(.database) struct HoldTests {
  private let number: Int64 = 33_199_000_248

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
    try await pool.execute(
      """
      INSERT INTO reports (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment)
      SELECT \(number), 1, gen_random_uuid(), \(now - 30), \(now - 30), 1, \(loud), 0.5, 'Noise'
      FROM generate_series(1, 5001)
      """)
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
    // The first network and the first text of each, including the reporter with many reports.
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
    try await pool.execute("UPDATE holds SET settled = false")
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

  private func finding(_ ceiling: SourceCeiling, app: Int32 = 1) -> BrigadeDetection.Finding {
    BrigadeDetection.Finding(
      reason: .newReporters(HoldReason.Marks(reporters: 4, new: 4, independent: 4, others: 0)),
      reporters: (1...4).map { Reporter([UInt8](repeating: $0, count: 16)) }, ceiling: ceiling, appID: app)
  }

  private func state() async throws -> CurationState {
    return try await pool.withConnection { try await CurationStateStore.load(at: now, on: $0) }
  }

  @Test func `a hold limits what reports trigger until it is labeled`() async throws {
    let holds = HoldStore(pool: pool)
    let other = number + 1
    #expect(try await holds.hold([(number, finding(.identify)), (other, finding(.nothing))], at: now) == 2)
    #expect(try await holds.held().map(\.ceiling) == [.identify, .nothing])
    #expect(try await state().reportCeilings == [number: .nothing, other: .nothing])
    #expect(try await state().held.isEmpty)
    let wanted = HoldStore.WantedLabel(number: number, appID: 1, isListed: false)
    #expect(try await holds.label([wanted], by: IdentifyRule(), at: now + 1) == [number])
    #expect(try await state().reportCeilings == [number: .identify, other: .nothing])
    // Judged again, a hold keeps its time and its label.
    #expect(try await holds.hold([(number, finding(.identify))], at: now + 2) == 0)
    let hold = try #require(try await holds.hold(of: number))
    #expect(hold.heldAt == now && hold.labeledAt == now + 1)
    // A mark that appears later takes the label away.
    _ = try await holds.hold([(number, finding(.nothing))], at: now + 3)
    #expect(try await state().reportCeilings == [number: .nothing, other: .nothing])
  }

  /// Reporters of an app whose only reports arrive at a time.
  private func report(from app: Int32, reporters: Range<Int>, daysAgo: Double) async throws {
    let time = now - daysAgo * 86_400
    let reports = reporters.map { index in
      Report(
        number: 33_180_000_000 + Int64(index), appID: app, reportID: UUID(), reportedAt: time, category: .fraud,
        reporter: [UInt8(app), UInt8(index >> 8), UInt8(index & 255)] + [UInt8](repeating: 0, count: 13))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
  }

  @Test func `labels are within the budget of the app and the day`() async throws {
    let holds = HoldStore(pool: pool)
    // 100 in the week that ended a week ago; others before and after it.
    try await report(from: 1, reporters: 0..<100, daysAgo: 10)
    try await report(from: 1, reporters: 100..<250, daysAgo: 3)
    try await report(from: 1, reporters: 250..<400, daysAgo: 15)
    try await report(from: 2, reporters: 0..<49, daysAgo: 10)
    let first = (0..<12).map { number + $0 }
    let second = (20..<26).map { number + $0 }
    _ = try await holds.hold(
      first.map { ($0, finding(.identify)) } + second.map { ($0, finding(.identify, app: 2)) }, at: now)
    func wanted(_ numbers: [Int64], _ app: Int32, listed: Set<Int64> = []) -> [HoldStore.WantedLabel] {
      numbers.map { HoldStore.WantedLabel(number: $0, appID: app, isListed: listed.contains($0)) }
    }
    // Three and two of a hundred; three and none of 49. Highest heat first.
    let today = try await holds.label(wanted(first, 1) + wanted(second, 2), by: IdentifyRule(), at: now)
    #expect(today == Set(first.prefix(5) + second.prefix(3)))
    #expect(try await holds.held().filter { $0.labeledAt != nil }.map(\.number) == today.sorted())
    // Nothing is left on the same day, but a number that is listed already needs no budget.
    let rest = Array(first.dropFirst(5))
    #expect(
      try await holds.label(wanted(rest, 1, listed: [rest[2]]), by: IdentifyRule(), at: now + 60) == [rest[2]])
    // The day is the UTC day.
    let midnight = Date(timeIntervalSince1970: 20_776 * 86_400)
    #expect(try await holds.label(wanted(Array(rest.prefix(2)), 1), by: IdentifyRule(), at: midnight - 1) == [])
    #expect(
      try await holds.label(wanted([rest[0], rest[1]], 1), by: IdentifyRule(), at: midnight) == [rest[0], rest[1]])
    // An unknown app has no budget.
    let unknown = HoldStore.WantedLabel(number: rest[3], appID: nil, isListed: false)
    #expect(try await holds.label([unknown], by: IdentifyRule(), at: midnight + 1) == [])
    #expect(
      try await holds.label(wanted([rest[4]], 3), by: IdentifyRule(labels: 0, labelShare: 1), at: midnight + 1) == [])
  }

  @Test func `a hold that ends leaves a trace and a stale case`() async throws {
    let holds = HoldStore(pool: pool)
    let queue = QueueStore(pool: pool)
    let decided = number + 1
    _ = try await holds.hold([(number, finding(.identify)), (decided, finding(.nothing))], at: now)
    _ = try await DecisionService(pool: pool).record(
      try Decision(number: decided, treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: now))
    _ = try await queue.sweep(at: now)
    #expect(try await queue.stale(limit: 10) == [])
    // Neither a number without a hold nor a settled hold.
    #expect(try await holds.end([number, decided, number + 2], at: now + 60) == 1)
    #expect(try await holds.hold(of: number) == nil)
    #expect(try await holds.hold(of: decided)?.isSettled == true)
    let members = try await pool.column("SELECT DISTINCT number FROM hold_reporters", as: Int64.self)
    #expect(members == [decided])
    let events = try await AuditLog(pool: pool).events(AuditFilter(action: "hold."), limit: 10)
    #expect(events.map(\.event.action) == ["hold.end"] && events.map(\.event.subject) == ["+\(number)"])
    #expect(events.map(\.time) == [now + 60])
    #expect(events.first?.event.before?["held_at"] == now.ISO8601Format())
    #expect(try await queue.stale(limit: 10) == [number])
    _ = try await queue.sweep(at: now + 61)
    #expect(try await queue.find(number) == nil)
    #expect(try await holds.end([number], at: now + 62) == 0)
  }
}
