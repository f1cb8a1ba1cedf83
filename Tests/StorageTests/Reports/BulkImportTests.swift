// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// The first import into an empty database stores the same rows as batches do.
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

  /// The same reports by bulk import, in two batches.
  private func importInBulk(_ reports: [Report]) async throws -> Int? {
    let result = try await bulk.run { write in
      try await write(Array(reports.prefix(70)))
      try await write(Array(reports.dropFirst(70)))
    }
    return result?.duplicates
  }

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

  @Test func `stores the same rows as batches, and has the same indexes afterwards`() async throws {
    let reports = reports()
    try await execute("UPDATE source_rules SET weight = 0.3 WHERE app_id = 0")
    #expect(try await store.accept(reports, receivedAt: now).allSatisfy { $0 == .created })
    let (expected, indexes) = (try await rows(), try await indexes())
    #expect(expected.count > 300)
    try await execute("TRUNCATE reports, numbers, number_categories, number_sources")
    #expect(try await importInBulk(reports) == 0)
    #expect(try await rows() == expected)
    #expect(try await self.indexes() == indexes)
    #expect(try await recountAll().differences == [])
    #expect(try await store.accept(reports, receivedAt: now).allSatisfy { $0 == .duplicate })
  }

  @Test(arguments: [true, false])
  func `numbers that the plan lacks are held`(_ isEmpty: Bool) async throws {
    var reports = reports()
    for index in reports.indices where reports[index].number % 4 == 0 { reports[index].isUnassigned = true }
    let (numbers, store) = (Set(reports.filter(\.isUnassigned).map(\.number)).sorted(), store)
    _ = try await bulk.run { [reports] write in
      try await write(reports)
      // Another report, after which batches store the rows.
      if !isEmpty { _ = try await store.accept(reports.filter { !$0.isUnassigned }.prefix(1) + [], receivedAt: now) }
    }
    #expect(try await HoldStore(pool: pool).held().map(\.number) == numbers && !numbers.isEmpty)
  }

  @Test func `shows its progress up to the total`() async throws {
    let reports = reports()
    let steps = Collected<[Int]>()
    _ = try await bulk.run({ try await $0(reports) }, progress: { steps.add([[$0, $1]]) })
    #expect(steps.all.map { $0[0] } == steps.all.map { $0[0] }.sorted())
    #expect(steps.all.last == [200, 200])
  }

  @Test func `a database with a report takes batches`() async throws {
    let reports = reports()
    _ = try await store.accept(Array(reports.prefix(1)), receivedAt: now)
    #expect(try await importInBulk(reports) == nil)
    try await execute("TRUNCATE reports")
    // Its months were dropped, and its sums stayed.
    #expect(try await importInBulk(reports) == nil)
    try await addWorkers()
    #expect(try await BulkImport(of: 1, in: ReportStore(pool: pool)).run { _ in } == nil)
  }

  @Test func `reports that arrive meanwhile are kept, and known ones are found`() async throws {
    let (reports, store) = (reports(), store)
    let result = try await bulk.run { write in
      try await write(reports)
      _ = try await store.accept(Array(reports.prefix(3)), receivedAt: now)
    }
    #expect(result?.duplicates == 3)
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

  @Test func `a failure while reading leaves nothing`() async throws {
    let reports = reports()
    await #expect(throws: Stopped.self) {
      try await bulk.run { write in
        try await write(reports)
        throw Stopped()
      }
    }
    #expect(try await rows() == [])
    #expect(try await importInBulk(reports) == 0)
  }
}
