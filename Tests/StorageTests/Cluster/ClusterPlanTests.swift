// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// The plan for a cluster, checked against the catalog.
@Suite(.database) struct ClusterPlanTests {
  private func strings(_ query: PostgresQuery) async throws -> [String] {
    try await pool.column(query, as: String.self)
  }

  private func names(_ placement: TablePlacement) -> [String] {
    TablePlacement.all.filter { $0.value == placement }.map(\.key)
  }

  @Test func `every table has a placement and no other name has one`() async throws {
    let tables = try await BackupStore(pool: pool).tables().keys.sorted()
    #expect(TablePlacement.all.keys.sorted() == tables)
  }

  @Test func `keys of distributed tables include the number`() async throws {
    let distributed = names(.distributed)
    let found = try await strings(
      """
      SELECT format('%s.%s', t.relname, i.relname)
      FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
      WHERE x.indisunique AND t.relname = ANY(\(distributed))
        AND NOT EXISTS (SELECT 1 FROM pg_attribute a
                        WHERE a.attrelid = t.oid AND a.attnum = ANY(x.indkey::int2[]) AND a.attname = 'number')
      UNION ALL
      SELECT format('%s.%s', t.relname, a.attname) FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
      WHERE t.relname = ANY(\(distributed)) AND a.attidentity <> ''
      UNION ALL
      SELECT format('%s without number', t.relname) FROM pg_class t
      WHERE t.relname = ANY(\(distributed))
        AND NOT EXISTS (SELECT 1 FROM pg_attribute a
                        WHERE a.attrelid = t.oid AND a.attname = 'number' AND a.atttypid = 'bigint'::regtype)
      """)
    #expect(found == [])
  }

  /// Citus supports foreign keys between reference tables, between local tables, and from distributed ones to reference
  /// tables; between distributed tables they must include the number.
  @Test func `foreign keys connect tables of the same placement only`() async throws {
    let keys = try await strings(
      """
      SELECT format('%s %s', conrelid::regclass, confrelid::regclass) FROM pg_constraint
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0
      """)
    #expect(!keys.isEmpty)
    for key in keys {
      let ends = key.split(separator: " ").map { TablePlacement.all[String($0)] }
      #expect(ends == [.reference, .reference] || ends == [.local, .local], "\(key)")
    }
  }

  @Test func `the cluster plan names each table once and in order of references`() async throws {
    let statements = ClusterPlan(shards: 8).steps.map(\.statement)
    for (table, placement) in TablePlacement.all {
      let found = statements.indices.filter {
        statements[$0].contains("'\(table)'") && statements[$0].contains("create_")
      }
      let own = found.filter {
        statements[$0].hasSuffix("_table('\(table)');") || statements[$0].contains("('\(table)', 'number'")
      }
      #expect(own.count == (placement == .local ? 0 : 1), "\(table)")
    }
    let keys = try await strings(
      "SELECT format('%s %s', conrelid::regclass, confrelid::regclass) FROM pg_constraint WHERE contype = 'f'")
    for key in keys {
      let ends = key.split(separator: " ").map { name in statements.firstIndex { $0.contains("_table('\(name)'") } }
      guard let from = ends[0], let to = ends[1] else { continue }
      #expect(to < from, "\(key)")
    }
  }

  @Test func `the plan continues the sequence of each identity column`() async throws {
    let columns = try await strings(
      """
      SELECT format('%s.%s', t.relname, a.attname) FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
      WHERE a.attidentity <> '' AND t.relnamespace = 'public'::regnamespace ORDER BY 1
      """)
    #expect(ClusterPlan.identities.map { "\($0.table).\($0.column)" } == columns)

    let apps = AppStore(pool: pool)
    for name in ["One", "Two"] { _ = try await apps.create(name: name, at: Date()) }
    let known = try await strings("SELECT app_id::text FROM apps")
    try await pool.withConnection { connection in
      try await connection.execute(script: "ALTER SEQUENCE apps_app_id_seq RESTART")
      for statement in ClusterPlan(shards: 8).steps.map(\.statement) where statement.contains("setval") {
        try await connection.execute(script: statement)
      }
    }
    _ = try await apps.create(name: "Three", at: Date())
    #expect(try await strings("SELECT app_id::text FROM apps").count == known.count + 1)
  }

  @Test func `the plan from a filled database has the sizes of its tables`() async throws {
    let empty = try await ClusterSurvey.read(pool)
    #expect(empty.nodes == nil && empty.placed == [])
    #expect(Set(empty.sizes.keys) == Set(TablePlacement.all.keys))
    try await pool.withConnection { connection in
      try await connection.execute(
        script: """
          INSERT INTO identification_days (number, day, named, unknown)
          SELECT 12015550000 + n, '2026-11-01', 1, 0 FROM generate_series(1, 1000) n;
          """)
      try await connection.execute(script: "ANALYZE identification_days")
      try await connection.execute(script: CreateReportPartition(month: Month(year: 2026, month: 11)).script)
    }
    let filled = try await ClusterSurvey.read(pool)
    let size = try #require(filled.sizes["identification_days"])
    #expect(size.rows == 1_000)
    #expect(size.bytes >= 1_000 * 32)
    // Its partition.
    #expect(filled.sizes["reports"]?.bytes ?? 0 > 0)
    let statements = ClusterPlan(shards: 8, survey: filled).steps.map(\.statement)
    #expect(statements.count { $0.contains("truncate_local_data_after_distributing_table") } == 1)
    #expect(statements.contains("SELECT truncate_local_data_after_distributing_table('identification_days');"))
    #expect(statements.contains("ANALYZE identification_days;"))
  }

  /// Catalogs of Citus by their names alone.
  @Test func `the plan leaves out tables that are distributed already`() async throws {
    try await pool.withConnection { connection in
      try await connection.execute(
        script: """
          CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql AS $$SELECT 'Citus'$$;
          CREATE TABLE pg_dist_partition (logicalrelid regclass);
          CREATE TABLE pg_dist_node (shouldhaveshards boolean);
          INSERT INTO pg_dist_partition VALUES ('numbers'), ('categories');
          INSERT INTO pg_dist_node VALUES (true), (true), (false);
          """)
    }
    let some = try await ClusterSurvey.read(pool)
    #expect(some.nodes == 2 && some.placed == ["numbers", "categories"])
    #expect(ClusterPlan(survey: some).shards == 4)
    let steps = ClusterPlan(survey: some).steps
    #expect(!steps.contains { $0.table == "numbers" || $0.table == "categories" })
    #expect(steps.contains { $0.table == "reports" && $0.statement.contains("colocate_with => 'numbers'") })

    let placed = TablePlacement.all.filter { $0.value != .local }.keys.joined(separator: "'), ('")
    try await pool.withConnection { connection in
      try await connection.execute(script: "DELETE FROM pg_dist_partition")
      try await connection.execute(script: "INSERT INTO pg_dist_partition VALUES ('\(placed)')")
    }
    #expect(ClusterPlan(survey: try await ClusterSurvey.read(pool)).steps == [])
  }

  /// A function of Citus by its name alone: the settings depend on it.
  @Test func `settings of transactions depend on whether the database is a cluster`() async throws {
    func settings() async throws -> [String] {
      try await pool.transaction { connection in
        _ = try await connection.run(SQL.keepPlans())
        _ = try await connection.run(SQL.writeShardsInOrder())
        return try await connection.query(
          """
          SELECT coalesce(current_setting(name, true), '')
          FROM unnest(ARRAY['plan_cache_mode', 'citus.multi_shard_modify_mode']) AS t (name)
          """
        ).map { try $0.decode(0, as: String.self) }
      }
    }
    #expect(try await settings() == ["force_generic_plan", ""])
    #expect(try await !ShardNodes(pool: pool).isCluster)
    try await pool.withConnection { connection in
      try await connection.execute(
        script: "CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql AS $$SELECT 'Citus'$$")
    }
    #expect(try await settings() == ["auto", "sequential"])
    #expect(try await ShardNodes(pool: pool).isCluster)
  }
}
