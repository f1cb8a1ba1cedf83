// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct AcceptReportsTests {
  private var store: ReportStore { ReportStore(pool: TestDatabase.current.pool) }
  private var numbers: NumberStore { NumberStore(pool: TestDatabase.current.pool) }

  private func report(
    _ id: UInt8, _ category: ReportCategory = .fraud, by reporter: UInt8? = 1, number: Int64 = 33_199_000_248,
    daysAgo: Double = 0
  ) -> Report {
    Report(
      number: number, appID: 1, reportID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, id)),
      reportedAt: now - daysAgo * 86_400, category: category,
      reporter: reporter.map { [UInt8](repeating: $0, count: 16) })
  }

  private func heat(_ number: Int64 = 33_199_000_248) async throws -> Double {
    Decay.heat.value(ofStoredSum: try await numbers.standing(of: number).heat, at: now) / ReporterWeight.newcomer
  }

  @Test func `a report is counted once regardless of retries`() async throws {
    let first = try await store.accept([report(1)], receivedAt: now)
    let again = try await store.accept([report(1), report(1)], receivedAt: now)
    #expect(first == [.created])
    #expect(again == [.duplicate, .duplicate])
    #expect(abs(try await heat() - 1) < 1e-9)
  }

  @Test func `two servers that store the same reports in another order wait for each other`() async throws {
    let pool = TestDatabase.current.pool
    // Makes the month.
    _ = try await store.accept([report(1, number: 33_199_000_249)], receivedAt: now)
    for _ in 0..<10 {
      let reports = (0..<200).map { _ in
        var report = report(1)
        report.reportID = UUID()
        return report
      }
      async let other = pool.withConnection {
        try await $0.run(SQL.acceptReports(reports.reversed(), receivedAt: now, in: .schema))
      }
      let refused = try await pool.withConnection {
        try await $0.run(SQL.acceptReports(reports, receivedAt: now, in: .schema))
      }
      #expect(try await refused.count + other.count == 200)
    }
    #expect(try await numbers.standing(of: 33_199_000_248).reports == 2_000)
  }

  @Test func `a repeated report in one batch is a duplicate`() async throws {
    let outcomes = try await store.accept([report(1), report(1), report(2, by: 2)], receivedAt: now)
    #expect(outcomes == [.created, .duplicate, .created])
    #expect(abs(try await heat() - 2) < 1e-9)
  }

  /// On a cluster, where a report is in the shard of its number.
  @Test func `on a cluster an id belongs to a number`() async throws {
    try await addWorkers()
    let store = ReportStore(pool: TestDatabase.current.pool)
    #expect(try await store.accept([report(1)], receivedAt: now) == [.created])
    #expect(try await store.accept([report(1), report(2)], receivedAt: now) == [.duplicate, .created])
    #expect(try await store.accept([report(1, .survey)], receivedAt: now) == [.conflict])
    #expect(try await store.accept([report(1, daysAgo: 2)], receivedAt: now) == [.conflict])
    #expect(try await store.accept([report(1, number: 33_199_000_249)], receivedAt: now) == [.created])
    // Both have the id, and a withdrawal removes both.
    let id = report(1).reportID
    #expect(try await store.withdraw(reportID: id, appID: 1, at: now) == .withdrawn)
    let again = [report(1), report(2), report(2, number: 33_199_000_249)]
    #expect(try await store.accept(again, receivedAt: now) == [.withdrawn, .duplicate, .conflict])
    #expect(try await heat(33_199_000_249) == 0)
  }

  @Test func `a reporter counts once for a number`() async throws {
    for id in 1...5 as ClosedRange<UInt8> { _ = try await store.accept([report(id)], receivedAt: now) }
    let standing = try await numbers.standing(of: 33_199_000_248)
    #expect(standing.reports == 5)
    #expect(standing.parts.map(\.reporters) == [1])
    #expect(abs(try await heat() - 1) < 1e-9)
  }

  @Test func `a newer report replaces the earlier vote`() async throws {
    _ = try await store.accept([report(1, .fraud, daysAgo: 2)], receivedAt: now)
    _ = try await store.accept([report(2, .legitimate)], receivedAt: now)
    let standing = try await numbers.standing(of: 33_199_000_248)
    #expect(standing.heat == 0)
    #expect(standing.parts.map(\.reporters) == [0, 1])
  }

  @Test func `an older report that arrives late does not replace a newer one`() async throws {
    _ = try await store.accept([report(1, .fraud)], receivedAt: now)
    _ = try await store.accept([report(2, .legitimate, daysAgo: 3)], receivedAt: now)
    #expect(abs(try await heat() - 1) < 1e-9)
    #expect(try await numbers.standing(of: 33_199_000_248).reports == 2)
  }

  @Test func `rows of a list count each and are not reporters`() async throws {
    _ = try await store.accept([report(1, by: nil), report(2, by: nil)], receivedAt: now)
    let standing = try await numbers.standing(of: 33_199_000_248)
    #expect(standing.parts.map(\.reporters) == [0])
    #expect(abs(try await heat() - 2 / ReporterWeight.newcomer) < 1e-9)
  }

  @Test(arguments: [1, 7, 42] as [UInt64])
  func `random histories add up to the result of a plain recount`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var model = ReportModel(receivedAt: now)
    var seen = Set<String>()
    for round in 0..<40 {
      let time = now + Double(round)
      let size = Int.random(in: 1...20, using: &generator)
      let batch = (0..<size).map { _ in Report.random(using: &generator, now: now) }
      let expected = batch.map { model.accept($0) }
      #expect(try await store.accept(batch, receivedAt: time) == expected)
      seen.formUnion(expected.map { "\($0)" })
      for call in 0..<Int.random(in: 0...6, using: &generator) {
        let report = Report.random(using: &generator, now: now)
        let expected = model.withdraw(reportID: report.reportID, appID: report.appID)
        #expect(
          try await store.withdraw(reportID: report.reportID, appID: report.appID, at: time + Double(call) / 100)
            == expected)
        seen.insert("\(expected)")
      }
    }
    #expect(seen == ["created", "duplicate", "conflict", "withdrawn", "alreadyWithdrawn", "notFound"])
    try await expectStandings(model, at: now)
  }

  @Test func `a report ID belongs to one content`() async throws {
    let first = report(1, daysAgo: 3)
    #expect(try await store.accept([first], receivedAt: now) == [.created])
    var variants = [first, first, first, first, first, first]
    variants[0].number += 1
    variants[1].category = .survey
    variants[2].reporter = [UInt8](repeating: 9, count: 16)
    variants[3].reportedAt += 1
    variants[4].comment = "They hung up."
    variants[5].reportedAt -= 30 * 86_400
    for variant in variants {
      #expect(try await store.accept([variant], receivedAt: now + 1) == [.conflict])
    }
    // The network is not part of the content, and ids of other apps are separate.
    var retry = first
    retry.network = [UInt8](repeating: 4, count: 8)
    var other = first
    other.appID = 2
    #expect(try await store.accept([retry, other], receivedAt: now + 2) == [.duplicate, .created])
    #expect(try await numbers.standing(of: first.number + 1).parts.isEmpty)
  }

  @Test func `within a batch the first report of an ID counts`() async throws {
    let first = report(1)
    var other = first
    other.category = .survey
    #expect(try await store.accept([first, other, first], receivedAt: now) == [.created, .conflict, .duplicate])
    // The stored report decides, not the first of the batch.
    #expect(try await store.accept([other, first, other], receivedAt: now + 1) == [.conflict, .duplicate, .conflict])
    // None of them is stored, so none may be a duplicate.
    let moved = [report(1, number: 33_199_000_249), report(1, number: 33_199_000_250)]
    #expect(try await store.accept(moved, receivedAt: now + 2) == [.conflict, .conflict])
    _ = try await store.withdraw(reportID: first.reportID, appID: 1, at: now + 3)
    #expect(try await store.accept([first] + moved, receivedAt: now + 4) == [.withdrawn, .conflict, .conflict])
  }

  @Test func `the id of a report without a reporter belongs to its number`() async throws {
    let row = report(1, by: nil)
    #expect(
      try await store.accept([row, report(1, by: nil, number: 33_199_000_249)], receivedAt: now) == [
        .created, .created,
      ])
    #expect(
      try await store.accept([row, report(1, .survey, by: nil)], receivedAt: now + 1) == [.duplicate, .conflict])
    // One key with a reporter and without one: the first is stored.
    #expect(try await store.accept([report(1)], receivedAt: now + 2) == [.conflict])
    #expect(try await store.accept([report(2), report(2, by: nil)], receivedAt: now + 3) == [.created, .conflict])
    #expect(try await store.accept([report(3, by: nil), report(3)], receivedAt: now + 4) == [.created, .conflict])
    #expect(try await recountAll().differences == [])
  }

  @Test func `the later arrival wins between two reports of the same time`() async throws {
    _ = try await store.accept([report(1, .legitimate), report(2, .fraud)], receivedAt: now)
    #expect(try await numbers.standing(of: 33_199_000_248).leading == .fraud)
    _ = try await store.accept([report(3, .legitimate)], receivedAt: now + 1)
    #expect(try await numbers.standing(of: 33_199_000_248).heat == 0)
    _ = try await store.accept([report(4, .survey)], receivedAt: now + 2)
    #expect(try await numbers.standing(of: 33_199_000_248).leading == .survey)
    #expect(try await recountAll().differences == [])
  }

  @Test func `parallel batches on the same numbers all count`() async throws {
    let store = store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 as Range<UInt8> {
        group.addTask {
          for round in 0..<10 as Range<UInt8> {
            let batch = (0..<20).map { index in
              Report(
                number: 33_199_000_000 + Int64(index), appID: 1,
                reportID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, writer, round, UInt8(index))),
                reportedAt: now, category: .fraud, reporter: [UInt8](repeating: writer, count: 16))
            }
            _ = try await store.accept(batch.shuffled(), receivedAt: now)
          }
        }
      }
      try await group.waitForAll()
    }
    for index in 0..<20 as Range<Int64> {
      let standing = try await numbers.standing(of: 33_199_000_000 + index)
      #expect(standing.parts.map(\.reporters) == [8])
      #expect(standing.reports == 80)
      #expect(abs(Decay.heat.value(ofStoredSum: standing.heat, at: now) - 8 * ReporterWeight.newcomer) < 1e-9)
    }
  }
}
