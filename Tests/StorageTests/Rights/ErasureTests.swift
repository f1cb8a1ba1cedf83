// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct ErasureTests {
  private let number: Int64 = 493_023_125_123
  private var stores: Stores { Stores(pool: pool) }

  private func reporter(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: 16) }

  private func report(_ number: Int64, by value: UInt8, _ category: ReportCategory = .fraud, daysAgo: Double = 1)
    -> Report
  {
    Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: now - daysAgo * 86_400, category: category,
      reporter: reporter(value), comment: "Written by \(value).")
  }

  private func erase(_ value: UInt8, until: Date? = nil) async throws -> Int {
    try await stores.erasures.erase(
      [(reporter(value), until ?? now)], at: now + 10,
      audit: [Actor.app("App").did(.rightErase, to: "reporter 00")])
  }

  /// Rows of all tables with the bytes of a pseudonym.
  private func traces(of value: UInt8) async throws -> [String] {
    var found: [String] = []
    for table in try await stores.backup.tables().keys.sorted() {
      let rows = try await pool.column(PostgresQuery(unsafeRaw: "SELECT t::text FROM \(table) t"), as: String.self)
      let bytes = String(repeating: String(format: "%02x", value), count: 16)
      found += rows.filter { $0.contains(bytes) || $0.contains("Written by \(value).") }.map { "\(table): \($0)" }
    }
    return found
  }

  @Test func `an erasure leaves no row, and the sums of the others`() async throws {
    _ = try await stores.reports.accept(
      [
        report(number, by: 1), report(number, by: 1, .survey, daysAgo: 3), report(number, by: 2),
        report(number + 1, by: 1),
      ], receivedAt: now)
    // A withdrawn report is a row, too.
    let withdrawn = report(number + 2, by: 1)
    _ = try await stores.reports.accept([withdrawn], receivedAt: now)
    _ = try await stores.reports.withdraw(reportID: withdrawn.reportID, appID: 1, at: now)
    try await stores.personalNumbers.fill(reporter(1), at: now)
    try await pool.withConnection { connection in
      let one = reporter(1)
      _ = try await connection.execute("INSERT INTO hold_reporters (number, reporter) VALUES (\(number), \(one))")
      _ = try await connection.execute(
        """
        INSERT INTO attested_reporters (reporter, app_id, level, counter, attested_on, renewed_on)
        VALUES (\(one), 1, 2, 0, 20000, 20000)
        """)
    }
    #expect(try await !traces(of: 1).isEmpty)
    #expect(try await erase(1, until: now + 1) == 4)
    #expect(try await traces(of: 1) == [])
    #expect(try await !traces(of: 2).isEmpty)
    #expect(try await recountAll().differences == [])
    let left = try await stores.numbers.standing(of: number)
    #expect(left.parts.filter { $0.reports > 0 }.map(\.reports) == [1] && left.leading == .fraud)
    #expect(try await stores.numbers.standing(of: number + 1).parts.allSatisfy { $0.reports == 0 })
    // Again: nothing is left to do.
    #expect(try await erase(1, until: now + 1) == 0)
  }

  @Test func `reports after the time of an erasure stay`() async throws {
    _ = try await stores.reports.accept([report(number, by: 1)], receivedAt: now)
    _ = try await stores.reports.accept([report(number, by: 1, .survey, daysAgo: 0)], receivedAt: now + 100)
    // The list of a reporter who came back.
    try await stores.personalNumbers.fill(reporter(1), at: now + 100)
    #expect(try await erase(1, until: now + 50) == 1)
    #expect(try await stores.erasures.export(reporter(1)).first { $0.table == "personal_numbers" }?.rows.count == 1)
    #expect(try await stores.numbers.standing(of: number).leading == .survey)
    #expect(try await recountAll().differences == [])
  }

  @Test func `a restricted reporter has no weight until the release`() async throws {
    _ = try await stores.reports.accept([report(number, by: 1)], receivedAt: now)
    let event = Actor.app("App").did(.rightRestrict, to: "reporter 00")
    try await stores.erasures.restrict([reporter(1)], to: true, at: now, audit: [event])
    let weights = try await stores.erasures.export(reporter(1)).first { $0.table == "reporter_weights" }?.rows
    // Again, as by the journal of a restored backup.
    try await stores.erasures.restrict([reporter(1)], to: true, at: now + 0.5, audit: [event])
    let again = try await stores.erasures.export(reporter(1)).first { $0.table == "reporter_weights" }?.rows
    #expect(weights?.count == 1 && again == weights)
    _ = try await stores.reports.accept([report(number + 1, by: 1)], receivedAt: now)
    #expect(try await stores.numbers.standing(of: number + 1).heat == 0)
    _ = try await stores.reporters.recount(protected: .none, at: now + 1)
    #expect(try await stores.numbers.standing(of: number).heat == 0)
    #expect(try await recountAll().differences == [])
    // Moderators do not see the comment.
    #expect(try await stores.cases.read(number, at: now + 1).comments.isEmpty)
    // The reports are kept and exported.
    let rows = try await stores.erasures.export(reporter(1)).first { $0.table == "reports" }?.rows
    #expect(rows?.count == 2 && rows?.joined().contains("Written by 1.") == true)
    #expect(try await stores.erasures.export(reporter(9)).allSatisfy { $0.rows.isEmpty })
    try await stores.erasures.restrict([reporter(1)], to: false, at: now + 2, audit: [event])
    _ = try await stores.reporters.recount(protected: .none, at: now + 3)
    #expect(try await stores.numbers.standing(of: number).heat > 0)
    #expect(try await stores.cases.read(number, at: now + 3).comments.map(\.text) == ["Written by 1."])
  }

  /// Every table with pseudonyms is erased; a new one is named in `ReporterTable`.
  @Test func `every table with a reporter is known`() async throws {
    let tables: [String] = try await pool.column(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE a.attname = 'reporter' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relnamespace = 'public'::regnamespace
      """)
    #expect(Set(tables) == Set(ReporterTable.allCases.map(\.rawValue)))
  }
}

extension PersonalNumberStore {
  fileprivate func fill(_ reporter: [UInt8], at time: Date) async throws {
    _ = try await add(
      PersonalNumber(number: 493_023_125_199, isPrefix: false, isBlocked: true, addedAt: time), of: reporter, keyID: 1)
  }
}
