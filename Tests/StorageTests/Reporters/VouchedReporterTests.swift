// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// Reporters whose accounts are older than their first report, as the server of their app says.
@Suite(.database) struct VouchedReporterTests {
  private let midnight = Date(timeIntervalSince1970: 1_794_960_000)

  private func reporter(_ index: UInt8) -> [UInt8] { [UInt8](repeating: index, count: 16) }

  private func key(of app: String = "Server") async throws -> AppKey {
    let apps = AppStore(pool: pool)
    _ = try await apps.create(name: app, scopes: [.report, .vouch], at: now - 90 * 86_400)
    return try #require(try await apps.keys(of: app).first)
  }

  /// The reporter reports three numbers, with the day of the account this many days ago.
  private func complain(_ index: UInt8, since days: Double?, key: AppKey, daysAgo: Double = 1) async throws {
    let time = now - daysAgo * 86_400
    let reports = (1...3 as ClosedRange<Int64>).map { number in
      var report = Report(
        number: number, appID: key.appID, reportID: UUID(), reportedAt: time, category: .fraud,
        reporter: reporter(index))
      report.keyID = key.id
      report.reporterSince = days.map { midnight - $0 * 86_400 }
      return report
    }
    #expect(try await ReportStore(pool: pool).accept(reports, receivedAt: time) == [.created, .created, .created])
  }

  /// The reporters report two numbers with others, eight days apart, through another app: what is missing is the age.
  private func share(_ reporters: [UInt8]) async throws {
    for (number, time) in [(8, now - 8 * 86_400 - 60), (9, now - 60)] as [(Int64, Date)] {
      let reports = (reporters + [200, 201, 202]).map { index in
        Report(
          number: number, appID: 50, reportID: UUID(), reportedAt: time, category: .fraud, reporter: reporter(index))
      }
      _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
    }
  }

  private func established(at time: Date? = nil) async throws -> [UInt8] {
    _ = try await ReporterStore(pool: pool).recount(protected: .none, at: time ?? now)
    return try await pool.withConnection { connection in
      try await connection.query("SELECT reporter FROM reporters WHERE is_established ORDER BY 1").map {
        try $0.decode(0, as: [UInt8].self)[0]
      }.filter { $0 < 200 }
    }
  }

  private func days() async throws -> [String] {
    try await pool.withConnection { connection in
      try await connection.query(
        "SELECT format('%s %s', encode(reporter, 'hex'), since) FROM vouched_reporters ORDER BY key_id, reporter"
      ).map { String(try $0.decode(0, as: String.self).dropFirst(30)) }
    }
  }

  @Test func `a vouched reporter is established at the usual age of the account`() async throws {
    let key = try await key()
    try await complain(1, since: 20, key: key)
    try await complain(2, since: 10, key: key)
    try await complain(3, since: nil, key: key)
    try await share([1, 2, 3])
    #expect(try await established() == [1])
    // Two weeks after the day of the account, and after the first report.
    #expect(try await established(at: midnight + 4 * 86_400 - 1) == [1])
    #expect(try await established(at: midnight + 4 * 86_400) == [1, 2])
    #expect(try await established(at: now + 6 * 86_400 + 1) == [1, 2, 3])
  }

  @Test func `the earliest day of a reporter counts`() async throws {
    let key = try await key()
    try await complain(1, since: 3, key: key, daysAgo: 2)
    try await complain(1, since: 20, key: key, daysAgo: 1)
    try await complain(1, since: 5, key: key, daysAgo: 0)
    #expect(try await days() == ["01 2026-10-29"])
    try await share([1, 2])
    #expect(try await established() == [1])
    // A day after the first report changes nothing.
    try await complain(2, since: 2, key: key, daysAgo: 16)
    #expect(try await established() == [1, 2])
  }

  @Test func `a withdrawal of a key's reports withdraws its days`() async throws {
    let (lying, honest) = (try await key(), try await key(of: "Other server"))
    try await complain(1, since: 20, key: lying)
    try await complain(2, since: 20, key: honest)
    // An earlier day in the period replaces the day from before it.
    try await complain(3, since: 15, key: lying, daysAgo: 10)
    try await complain(3, since: 30, key: lying, daysAgo: 1)
    try await complain(4, since: 20, key: lying, daysAgo: 10)
    try await share([1, 2, 3, 4])
    #expect(try await established() == [1, 2, 3, 4])
    let apps = AppStore(pool: pool)
    let work = try await apps.withdrawals.ask(
      keyID: lying.id, since: now - 5 * 86_400, until: now, because: "Lies", by: "Ada", at: now)
    #expect(try await apps.withdrawals.step(work.id, at: now + 1)?.doneAt != nil)
    #expect(try await days() == ["04 2026-10-29", "02 2026-10-29"])
    #expect(try await established() == [2, 4])
  }

  @Test func `days of reporters without reports are deleted`() async throws {
    let key = try await key()
    try await complain(1, since: 600, key: key, daysAgo: 500)
    try await complain(2, since: 600, key: key, daysAgo: 500)
    try await complain(2, since: 600, key: key, daysAgo: 20)
    try await TestDatabase.current.withClock(at: now) { pool async throws in
      #expect(try await RetentionStore(pool: pool).dropReports(before: now - 403 * 86_400, at: now) > 0)
    }
    #expect(try await days() == ["02 2025-03-28"])
  }
}
