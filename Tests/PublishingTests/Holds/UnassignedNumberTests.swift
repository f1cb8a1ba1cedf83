// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Publishing
import TestSupport
import Testing

@testable import Storage

/// Reports of numbers that are not in the numbering plan: they are stored and scored, and nothing shows the numbers.
@Suite(.database) struct UnassignedNumberTests {
  /// The area code 555 is not assigned.
  private let number: Int64 = 15_555_550_123
  private let other: Int64 = 12_015_550_123

  /// Reports by as many reporters on as many days, which list a number.
  private func report(_ number: Int64, isUnassigned: Bool, daysAgo: Double = 0) async throws {
    for day in (0..<12).reversed() {
      let time = now - (Double(day) + daysAgo) * 86_400 - 60
      let reports = (0..<3).map { index in
        var report = Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: time, category: .fraud,
          reporter: [UInt8(day), UInt8(index)] + [UInt8](repeating: 7, count: 14),
          network: [UInt8(day), UInt8(index)] + [UInt8](repeating: 7, count: 6))
        report.isUnassigned = isUnassigned
        return report
      }
      _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
    }
  }

  private func listed() async throws -> [Int64] {
    try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true) { connection in
        var found: [Int64] = []
        try await Selection().forEachListed(at: now, on: connection) { found += $0.map(\.number) }
        return found
      }
    }
  }

  private func counts() async throws -> [Int64] {
    try await pool.column("SELECT reports FROM numbers ORDER BY number")
  }

  @Test func `they are scored, and listed only after a decision`() async throws {
    try await report(number, isUnassigned: true)
    try await report(other, isUnassigned: false)
    #expect(try await counts() == [36, 36])
    #expect(try await listed() == [other])
    // A review of brigades neither ends the hold nor changes its reason.
    _ = try await BrigadeReview(store: HoldStore(pool: pool)).review(at: now)
    let hold = try #require(try await HoldStore(pool: pool).held().first { $0.number == number })
    #expect(hold.reason.isUnassigned)
    // The plan does not have it, so that its hold stays.
    #expect(try await HoldStore(pool: pool).endAssigned(at: now) == 0)
    #expect(try await listed().contains(number) == false)
    let decision = try Decision(
      number: number, treatment: .block, category: .fraud, reason: "A new area code.", decidedBy: "Ada", decidedAt: now)
    _ = try await DecisionService(pool: pool).record(decision)
    #expect(try await listed().contains(number))
  }

  @Test func `a newer plan ends the hold`() async throws {
    // As a report of a number that only a newer plan has.
    try await report(other, isUnassigned: true)
    #expect(try await listed() == [])
    #expect(try await HoldStore(pool: pool).endAssigned(at: now) == 1)
    #expect(try await listed() == [other])
  }

  @Test func `a number with reports keeps its effect under a plan that no longer has it`() async throws {
    try await report(other, isUnassigned: false, daysAgo: 1)
    try await report(other, isUnassigned: true)
    #expect(try await listed() == [other])
  }

  @Test func `after 90 days it is deleted with its reports, and others are not`() async throws {
    try await report(number, isUnassigned: true, daysAgo: 95)
    try await report(other, isUnassigned: false, daysAgo: 95)
    let retention = RetentionStore(pool: pool)
    #expect(try await retention.purgeUnassigned(before: now - 120 * 86_400) == 0)
    #expect(try await retention.overdue(commentDays: nil, at: now).contains(.unassigned))
    #expect(try await retention.purgeUnassigned(before: now - 90 * 86_400) == 1)
    let left = try await pool.column(
      "SELECT DISTINCT number FROM reports UNION SELECT number FROM numbers UNION SELECT number FROM holds",
      as: Int64.self)
    #expect(left == [other])
    #expect(try await retention.overdue(commentDays: nil, at: now).contains(.unassigned) == false)
  }
}
