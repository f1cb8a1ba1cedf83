// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// The import of a list stores the same rows as ``ReportStore/accept(_:receivedAt:)`` does.
@Suite(.database) struct BulkImportTests {
  private struct Stopped: Error {}

  private var store: ReportStore { ReportStore(pool: pool) }
  private var bulk: BulkImport { BulkImport(of: 1, in: store, lockTimeout: 100) }

  /// Reports of a list on forty numbers in more than three months; some without weight, some "legitimate".
  private func reports() -> [Report] {
    var generator = SeededGenerator(seed: 35)
    return (0..<200).map { index in
      Report(
        number: 12_015_550_100 + Int64.random(in: 0..<40, using: &generator), appID: 1,
        reportID: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(index))),
        reportedAt: now - 43_210 * Double(Int.random(in: 0..<200, using: &generator)),
        category: [.fraud, .robocall, .other, .legitimate][Int.random(in: 0..<4, using: &generator)],
        reporter: nil, weight: index % 9 == 0 ? 0 : 1)
    }
  }

  /// The reports in order, in pieces of at most 70.
  private func sorted(_ reports: [Report]) -> SortedReports {
    let sorted = reports.sorted { ($0.number, $0.category.rawValue) < ($1.number, $1.category.rawValue) }
    return SortedReports(
      count: reports.count, times: reports.map(\.reportedAt),
      unassigned: Set(reports.filter(\.isUnassigned).map(\.number))
    ) {
      let rest = Mutex(sorted[...])
      return { limit in
        rest.withLock { rest in
          defer { rest = rest.dropFirst(min(limit, 70)) }
          return Array(rest.prefix(min(limit, 70)))
        }
      }
    }
  }

  private func importInBulk(_ reports: [Report]) async throws -> Int { try await bulk.run(sorted(reports)) }

  private func execute(_ script: String) async throws {
    try await pool.withConnection { try await $0.execute(script: script) }
  }

  private func texts(_ queries: String...) async throws -> [String] {
    try await pool.withConnection { connection in
      var rows: [String] = []
      for query in queries {
        rows += try await connection.query(PostgresQuery(unsafeRaw: query)).map { try $0.decode(0) }.sorted()
      }
      return rows
    }
  }

  /// All rows of reports and aggregates without times of arrival. Sums of another order differ in the last digits.
  private func rows() async throws -> [String] {
    func sum(_ column: String) -> String { "CASE WHEN \(column) > 0 THEN round(ln(\(column))::numeric, 9) END" }
    return try await texts(
      """
      SELECT concat_ws(' ', number, app_id, report_id, reported_at, category_id, reporter, weight, comment, network,
                       withdrawn_at, key_id) FROM reports
      """,
      """
      SELECT concat_ws(' ', number, category_id, \(sum("heat")), \(sum("evidence")), reports, reporters)
      FROM number_categories
      """,
      """
      SELECT concat_ws(' ', number, \(sum("heat")), \(sum("evidence")), \(sum("legitimate")), reports, reporters,
                       first_reported_at, last_reported_at, day_bits, last_day, network_bits, last_received_at IS NULL)
      FROM numbers
      """,
      """
      SELECT concat_ws(' ', number, app_id, complaints, \(sum("heat")), \(sum("evidence")), day_bits, last_day)
      FROM number_sources
      """)
  }

  private func indexes() async throws -> [String] {
    try await texts(
      "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'", "SELECT conname::text FROM pg_constraint")
  }

  /// - Parameter stored: reports that are stored before, half of them by another list.
  @Test(arguments: [0, 1, 80])
  func `stores the same rows as batches, and has the same indexes afterwards`(_ stored: Int) async throws {
    let reports = reports()
    var earlier = Array(reports.prefix(stored))
    for index in earlier.indices where index % 2 == 1 { earlier[index].appID = 2 }
    try await execute("UPDATE source_rules SET weight = 0.3 WHERE app_id = 0")
    _ = try await store.accept(earlier, receivedAt: now)
    _ = try await store.accept(reports, receivedAt: now)
    let (expected, indexes) = (try await rows(), try await indexes())
    #expect(expected.count > 300)
    try await execute("TRUNCATE reports, numbers, number_categories, number_sources")
    _ = try await store.accept(earlier, receivedAt: now)
    #expect(try await importInBulk(reports) == (stored + 1) / 2)
    #expect(try await rows() == expected)
    #expect(try await self.indexes() == indexes)
    #expect(try await recountAll().differences == [])
    #expect(try await store.accept(reports, receivedAt: now).allSatisfy { $0 == .duplicate })
  }

  @Test(arguments: [true, false])
  func `numbers that the plan lacks are held`(_ isEmpty: Bool) async throws {
    var reports = reports()
    for index in reports.indices where reports[index].number % 4 == 0 { reports[index].isUnassigned = true }
    let numbers = Set(reports.filter(\.isUnassigned).map(\.number)).sorted()
    if !isEmpty { _ = try await store.accept(reports.filter { !$0.isUnassigned }.prefix(1) + [], receivedAt: now) }
    _ = try await importInBulk(reports)
    #expect(try await HoldStore(pool: pool).held().map(\.number) == numbers && !numbers.isEmpty)
  }

  @Test func `shows its progress up to the total`() async throws {
    let reports = reports()
    let steps = Collected<[Int]>()
    _ = try await bulk.run(sorted(reports), progress: { steps.add([[$0, $1]]) })
    #expect(steps.all.map { $0[0] } == steps.all.map { $0[0] }.sorted())
    #expect(steps.all.last == [200, 200])
  }

  @Test func `adds to sums whose reports were dropped`() async throws {
    _ = try await store.accept(reports(), receivedAt: now)
    try await execute("TRUNCATE reports")
    #expect(try await importInBulk(reports()) == 0)
    #expect(try await texts("SELECT sum(reports)::text FROM numbers") == ["400"])
  }

  @Test func `a cluster stores no list at once`() async throws {
    try await addWorkers()
    #expect(try await !BulkImport(of: 1, in: ReportStore(pool: pool)).isPossible)
  }

  @Test func `a report that COPY refuses is found`() async throws {
    let reports = reports()
    _ = try await store.accept(Array(reports.prefix(3)), receivedAt: now)
    #expect(try await importInBulk(reports + reports.suffix(1)) == 4)
    #expect(try await texts("SELECT count(*)::text FROM reports") == ["200"])
    #expect(try await recountAll().differences == [])
  }

  @Test(arguments: [
    "LOCK TABLE numbers IN ROW EXCLUSIVE MODE",
    // The key of the table cannot be created again.
    "INSERT INTO number_sources VALUES (12015550100, 1, 0, 0, 0, 0, NULL), (12015550101, 1, 0, 0, 0, 0, NULL); COMMIT",
  ]) func `tables that cannot be filled take batches`(_ obstacle: String) async throws {
    let reports = reports()
    let indexes = try await indexes()
    try await pool.withConnection { connection in
      try await connection.execute(script: "BEGIN; \(obstacle)")
      #expect(try await importInBulk(reports) == 0)
    }
    // The batches have made the partitions of their months, too.
    #expect(Set(try await self.indexes()).isSuperset(of: indexes))
    #expect(try await texts("SELECT count(*)::text FROM reports") == ["200"])
    #expect(try await recountAll().differences == [])
  }

  @Test(arguments: [0, 1]) func `a failure while reading keeps what is complete`(_ stored: Int) async throws {
    let reports = reports()
    _ = try await store.accept(Array(reports.prefix(stored)), receivedAt: now)
    let failing = SortedReports(count: 200, times: reports.map(\.reportedAt), unassigned: []) {
      let next = try sorted(reports).read()
      return { _ in
        let batch = try next(100)
        if batch.first?.number == 12_015_550_100 { return batch }
        throw Stopped()
      }
    }
    await #expect(throws: Stopped.self) { try await bulk.run(failing) }
    #expect(try await recountAll().differences == [])
    #expect((try await rows()).isEmpty == (stored == 0))
    #expect(try await importInBulk(reports) >= stored)
    #expect(try await texts("SELECT count(*)::text FROM reports") == ["200"])
  }
}
