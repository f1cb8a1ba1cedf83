// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// The SQL contract, checked against the catalog: requirements of a cluster that is distributed by number.
@Suite(.database) struct SchemaTests {
  /// Reference tables and local tables; all others grow with numbers or reports.
  private static let small = TablePlacement.all.filter { $0.value != .distributed }.map(\.key)

  private func strings(_ query: PostgresQuery) async throws -> [String] {
    try await pool.column(query, as: String.self)
  }

  @Test func `every key of a growing table includes the number`() async throws {
    let keys = try await strings(
      """
      SELECT format('%s.%s', t.relname, i.relname)
      FROM pg_index x
      JOIN pg_class i ON i.oid = x.indexrelid
      JOIN pg_class t ON t.oid = x.indrelid
      WHERE x.indisunique AND t.relnamespace = 'public'::regnamespace AND NOT t.relname = ANY(\(Self.small))
        AND NOT EXISTS (
          SELECT 1 FROM pg_attribute a
          WHERE a.attrelid = t.oid AND a.attnum = ANY(x.indkey::int2[]) AND a.attname = 'number')
      """)
    #expect(keys == [])
  }

  /// The migration stops where it waits too long for a month, and is repeated.
  @Test func `the index of ids is completed although a month was created meanwhile`() async throws {
    let file = "\(Checkout.migrations)/20261130010000_index_of_reporters_reports.sql"
    let script = try String(contentsOfFile: file, encoding: .utf8)
    let first = "CREATE INDEX reports_of_reporters ON ONLY reports (app_id, report_id) WHERE reporter IS NOT NULL"
    func month(_ number: Int) -> String {
      "CREATE TABLE reports_2031_0\(number) PARTITION OF reports FOR VALUES FROM ('2031-0\(number)-01Z') "
        + "TO ('2031-0\(number + 1)-01Z')"
    }
    for statement in [month(1), "DROP INDEX reports_of_reporters", first, month(2), script, month(3), script] {
      try await TestDatabase.current.pool.withConnection { try await $0.execute(script: statement) }
    }
    let attached = try await strings(
      """
      SELECT x.indrelid::regclass::text FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
      WHERE i.inhparent = (SELECT indexrelid FROM pg_index WHERE indexrelid = 'reports_of_reporters'::regclass AND indisvalid)
        AND x.indrelid::regclass::text LIKE 'reports_2031%' ORDER BY 1
      """)
    #expect(attached == ["reports_2031_01", "reports_2031_02", "reports_2031_03"])
  }

  @Test func `every table has a primary key`() async throws {
    let tables = try await strings(
      """
      SELECT c.relname::text FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT EXISTS (SELECT 1 FROM pg_index x WHERE x.indrelid = c.oid AND x.indisprimary)
      """)
    #expect(tables == [])
  }

  /// The audit log is local to one node, and a trigger keeps it append-only.
  @Test func `only the audit log has a trigger and no rules or views exist`() async throws {
    let found = try await strings(
      """
      SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT rulename::text FROM pg_rules WHERE schemaname = 'public'
      UNION ALL SELECT relname::text FROM pg_class
        WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace
      """)
    #expect(found == ["audit_events_append_only"])
  }

  /// An upgrade of the operating system changes the order of other collations. `text_pattern_ops` compares by bytes.
  @Test func `every key of text is compared by its bytes`() async throws {
    let found = try await strings(
      """
      SELECT format('%s.%s', i.relname, a.attname)
      FROM pg_index x
      JOIN pg_class i ON i.oid = x.indexrelid
      JOIN pg_attribute a ON a.attrelid = i.oid AND a.attcollation <> 0
      JOIN pg_opclass o ON o.oid = x.indclass[a.attnum - 1]
      JOIN pg_collation c ON c.oid = a.attcollation
      WHERE i.relnamespace = 'public'::regnamespace AND c.collname NOT IN ('C', 'POSIX')
        AND o.opcname NOT LIKE '%_pattern_ops'
      """)
    #expect(found == [])
  }

  @Test func `growing tables have no foreign keys`() async throws {
    let found = try await strings(
      """
      SELECT conrelid::regclass::text FROM pg_constraint
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace
        AND NOT conrelid::regclass::text = ANY(\(Self.small))
      """)
    #expect(found == [])
  }

  @Test func `no index contains stored heat`() async throws {
    let found = try await strings(
      """
      SELECT indexname::text FROM pg_indexes
      WHERE schemaname = 'public' AND indexdef ~ '\\y(heat|evidence|legitimate)\\y'
      """)
    #expect(found == [])
  }

  @Test func `the categories of the database match the code`() async throws {
    let rows = try await strings(
      "SELECT format('%s %s %s', category_id, slug, toxic) FROM categories ORDER BY category_id")
    #expect(rows == ReportCategory.allCases.map { "\($0.rawValue) \($0.slug) \($0.isToxic ? "t" : "f")" })
  }

  @Test func `every toxic category has a threshold`() async throws {
    let set = try await ThresholdStore(pool: pool).current()
    #expect(set.thresholds.map(\.category) == ReportCategory.allCases.filter(\.isToxic))
  }
}
