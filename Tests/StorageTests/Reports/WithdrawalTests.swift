// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct WithdrawalTests {
  private let number: Int64 = 33_199_000_248

  private var store: ReportStore { ReportStore(pool: TestDatabase.current.pool) }

  private func id(_ value: UInt16) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(value >> 8), UInt8(value & 255)))
  }

  private func report(
    _ value: UInt16, _ category: ReportCategory = .fraud, by reporter: UInt8? = 1, daysAgo: Double = 0
  ) -> Report {
    Report(
      number: number, appID: 1, reportID: id(value), reportedAt: now - daysAgo * 86_400, category: category,
      reporter: reporter.map { [UInt8](repeating: $0, count: 16) })
  }

  private func standing() async throws -> NumberAggregate {
    try await NumberStore(pool: TestDatabase.current.pool).standing(of: number)
  }

  @Test func `the contribution of a withdrawn report is subtracted`() async throws {
    _ = try await store.accept([report(1), report(2, by: 2), report(3, by: 3)], receivedAt: now)
    #expect(try await store.withdraw(reportID: id(1), appID: 1, at: now) == .withdrawn)
    #expect(try await store.withdraw(reportID: id(3), appID: 1, at: now + 1) == .withdrawn)
    let left = try await standing()
    #expect(left.parts.map(\.reports) == [1])
    #expect(left.parts.map(\.reporters) == [1])
    #expect(abs(Decay.heat.value(ofStoredSum: left.heat, at: now) - ReporterWeight.newcomer) < 1e-9)
    #expect(try await store.withdraw(reportID: id(2), appID: 1, at: now + 2) == .withdrawn)
    // No rounding errors are left.
    let gone = try await standing()
    #expect(gone.parts == [.init(category: .fraud, heat: 0, evidence: 0, reports: 0, reporters: 0)])
    #expect(try await recountAll().differences == [])
  }

  @Test func `a withdrawn report stays withdrawn`() async throws {
    _ = try await store.accept([report(1)], receivedAt: now)
    #expect(try await store.withdraw(reportID: id(1), appID: 2, at: now) == .notFound)
    #expect(try await store.withdraw(reportID: id(1), appID: 1, at: now) == .withdrawn)
    #expect(try await store.withdraw(reportID: id(1), appID: 1, at: now + 1) == .alreadyWithdrawn)
    #expect(try await store.accept([report(1)], receivedAt: now + 2) == [.withdrawn])
    #expect(try await store.accept([report(1, .survey)], receivedAt: now + 2) == [.conflict])
    #expect(try await standing().reports == 0)
  }

  @Test func `a repeated withdrawal has the same result`() async throws {
    _ = try await store.accept([report(1)], receivedAt: now)
    #expect(try await store.withdraw(reportID: id(1), appID: 1, at: now) == .withdrawn)
    #expect(try await store.withdraw(reportID: id(1), appID: 1, at: now) == .withdrawn)
    #expect(try await standing().reports == 0)
  }

  @Test func `the earlier vote counts again after a withdrawal`() async throws {
    _ = try await store.accept([report(1, .survey, daysAgo: 2), report(2, .legitimate, daysAgo: 1)], receivedAt: now)
    _ = try await store.accept([report(3, .fraud)], receivedAt: now + 1)
    _ = try await store.withdraw(reportID: id(2), appID: 1, at: now)
    #expect(try await standing().leading == .fraud)
    _ = try await store.withdraw(reportID: id(3), appID: 1, at: now)
    let left = try await standing()
    #expect(left.leading == .survey)
    #expect(left.reports == 1)
    let expected = Decay.heat.storedSum(of: ReporterWeight.newcomer, at: now - 2 * 86_400)
    #expect(abs(left.heat - expected) < 1e-9 * expected)
    #expect(try await recountAll().differences == [])
  }

  private func networks() async throws -> Int {
    let number = number
    let rows: [Int64] = try await TestDatabase.current.pool.column(
      "SELECT network_bits FROM numbers WHERE number = \(number)")
    return rows.first.map { NetworkSketch(bits: UInt64(bitPattern: $0)).count } ?? 0
  }

  private func report(_ value: UInt16, by reporter: UInt8, from network: UInt8) -> Report {
    var report = report(value, by: reporter)
    report.network = [UInt8](repeating: network, count: 8)
    return report
  }

  /// Networks count toward a listing: a withdrawn report's must not.
  @Test func `a network is withdrawn with its last report`() async throws {
    let reports = [
      report(1, by: 1, from: 1), report(2, by: 2, from: 1), report(3, by: 3, from: 3), report(4, by: 4, from: 4),
    ]
    _ = try await store.accept(reports, receivedAt: now)
    #expect(try await networks() == 3)
    for (value, left) in [(1, 3), (3, 2), (2, 1), (4, 0)] as [(UInt16, Int)] {
      _ = try await store.withdraw(reportID: id(value), appID: 1, at: now)
      #expect(try await networks() == left)
      #expect(try await recountAll().differences == [])
    }
    let explanation = try await ExplanationStore(pool: TestDatabase.current.pool).explain(number, at: now)
    #expect(explanation.score?.networks == 0 && explanation.score?.days == 0)
  }

  /// Deleted networks cannot be counted again: of two reports whose networks are deleted there are two bits at most.
  @Test func `bits of deleted networks stay while reports may have set them`() async throws {
    let reports = [report(1, by: 1, from: 1), report(2, by: 2, from: 2), report(3, by: 3, from: 3)]
    _ = try await store.accept(reports, receivedAt: now)
    let first = [id(1), id(2)]
    try await TestDatabase.current.pool.execute("UPDATE reports SET network = NULL WHERE report_id = ANY(\(first))")
    #expect(try await recountAll().differences == [])
    for (value, left) in [(3, 2), (1, 1), (2, 0)] as [(UInt16, Int)] {
      _ = try await store.withdraw(reportID: id(value), appID: 1, at: now)
      #expect(try await networks() == left)
      #expect(try await recountAll().differences == [])
    }
  }

  /// Reports and withdrawals of few reporters about one number, all at once; whatever order they fall into, the
  /// aggregates must be a recount's.
  @Test(arguments: 0..<4) func `parallel reports and withdrawals of one reporter stay consistent`(round: Int)
    async throws
  {
    let store = store
    let categories: [ReportCategory] = [.fraud, .legitimate, .survey]
    let reports = (0..<120 as Range<UInt16>).map { value in
      report(value, categories[Int(value) % 3], by: UInt8(value % 4), daysAgo: Double((value * 7) % 11))
    }
    _ = try await store.accept(Array(reports.prefix(60)), receivedAt: now)
    let withdrawn = try await withThrowingTaskGroup(of: Int.self) { group in
      for start in stride(from: 60, to: 120, by: 5) {
        group.addTask {
          let batch = Array(reports[start..<start + 5])
          return try await store.accept(batch, receivedAt: now + Double(start)).count { $0 != .created }
        }
      }
      for value in 0..<120 where value % 2 == round % 2 {
        group.addTask {
          switch try await store.withdraw(reportID: reports[value].reportID, appID: 1, at: now + Double(value)) {
          case .withdrawn: 1_000
          case .alreadyWithdrawn: 1
          // It was not stored yet.
          case .notFound: 0
          }
        }
      }
      return try await group.reduce(0, +)
    }
    // Nothing was refused, and no withdrawal was done twice.
    #expect(withdrawn % 1_000 == 0)
    #expect(try await standing().reports == Int64(120 - withdrawn / 1_000))
    #expect(try await recountAll().differences == [])
  }
}
