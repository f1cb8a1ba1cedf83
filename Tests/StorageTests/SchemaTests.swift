// SPDX-License-Identifier: Apache-2.0

import Curation
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
