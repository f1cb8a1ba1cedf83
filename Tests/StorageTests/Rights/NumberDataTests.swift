// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct NumberDataTests {
  private let number: Int64 = 493_023_125_123
  private var stores: Stores { Stores(pool: TestDatabase.current.pool) }

  /// Tables with a column `number` that an access leaves out: rows about reporters, moderators and other owners, and
  /// proofs of control.
  private static let others: Set = [
    "number_reporters", "hold_reporters", "personal_numbers", "queue_passes", "appeal_contacts", "ranges",
    "owner_codes", "owner_passes",
  ]

  /// A new table with numbers is named in one of the two lists.
  @Test func `an access reads every table with a number, or says why not`() async throws {
    let tables: [String] = try await TestDatabase.current.pool.column(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE a.attname = 'number' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relnamespace = 'public'::regnamespace
      """)
    let read = Set(NumberTable.all.map(\.name)).subtracting(["audit_events"])
    #expect(Set(tables) == read.union(Self.others) && read.isDisjoint(with: Self.others))
  }

  @Test func `an access leaves out sums that decay, in every table`() async throws {
    let columns: [(table: String, column: String)] = try await TestDatabase.current.pool.withConnection { connection in
      try await connection.query(
        """
        SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE a.attname IN ('heat', 'evidence', 'legitimate') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND c.relnamespace = 'public'::regnamespace
        """
      ).map { (try $0.decode(0), try $0.decode(1)) }
    }
    let read = columns.compactMap { found in
      NumberTable.all.first { $0.name == found.table && $0.source == nil }.map { ($0, found.column) }
    }
    #expect(read.count > 6)
    for (table, column) in read { #expect(table.without.contains(column), "\(table.name).\(column)") }
  }

  /// A caller who has rung few people must not learn from an access which of them has reported.
  @Test func `an access has the reports of a number, and nothing of a reporter, a moderator or another owner`()
    async throws
  {
    let reporter = [UInt8](repeating: 0xAB, count: 16)
    let report = Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud, reporter: reporter,
      comment: "Rang at night.", network: [UInt8](repeating: 0xCD, count: 8))
    _ = try await stores.reports.accept([report], receivedAt: now)
    try await stores.auditLog.append(
      Actor(name: "Grace", role: .moderator).did(.decisionAllow, to: number, before: ["added_by": "Linus"]), at: now)
    try await stores.appeals.file(try Appeal(number: number, statement: "I had it before.", filedAt: now))
    let data = try await stores.numberData.data(of: number)
    let text = data.flatMap(\.rows).joined()
    #expect(data.first { $0.table == "reports" }?.rows.map { $0.contains("\"reports\": 1") } == [true])
    #expect(text.contains("decision.allow") && text.contains("appeal_id"))
    let day = now.formatted(.iso8601.year().month().day())
    let hidden = [
      "abababab", "cdcdcdcd", "Grace", "Linus", "Rang at night", "I had it before", "heat",
      report.reportID.uuidString.lowercased(),
    ]
    for word in hidden { #expect(!text.contains(word), "\(word)") }
    for rows in data where rows.kind == .reports { #expect(!rows.rows.joined().contains(day), "\(rows)") }
    #expect(try await stores.numberData.data(of: number + 1).isEmpty)
  }
}
