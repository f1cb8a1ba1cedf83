// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import TestSupport
import Testing

/// Servers of two versions run on one schema during an upgrade: the files of migrations are held against what that needs.
@Suite struct MigrationRuleTests {
  private static let scripts = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Checkout.migrations)) ?? []
    return names.filter { $0.hasSuffix(".sql") }.sorted().map {
      (name: $0, text: (try? String(contentsOfFile: "\(Checkout.migrations)/\($0)", encoding: .utf8)) ?? "")
    }
  }()

  @Test func `every migration obeys the rules`() {
    #expect(!Self.scripts.isEmpty)
    for script in Self.scripts {
      #expect(script.text.hasPrefix("-- expand") || script.text.hasPrefix("-- contract"), "\(script.name)")
      #expect(MigrationRules.problems(in: script.text) == [], "\(script.name)")
    }
  }

  @Test(arguments: [
    "ALTER TABLE reports ADD COLUMN note text",
    "ALTER TABLE reports ADD COLUMN IF NOT EXISTS note text, ADD stars integer NOT NULL DEFAULT 0",
    "ALTER TABLE numbers ALTER COLUMN day_bits DROP NOT NULL",
    "ALTER TABLE numbers SET (fillfactor = 80)",
    "ALTER TABLE appeals DROP CONSTRAINT appeals_state_check, ADD CONSTRAINT appeals_state_check CHECK (state IN ('open', 'upheld', 'withdrawn')) NOT VALID",
    "CREATE TABLE notes (number bigint PRIMARY KEY, note text NOT NULL); CREATE INDEX notes_by_note ON notes (note)",
    "INSERT INTO categories (category_id, slug, toxic) VALUES (14, 'silence; DROP', true)",
    "ALTER TABLE apps ALTER COLUMN name TYPE text COLLATE \"C\"; ALTER TABLE regions ALTER COLUMN code TYPE text COLLATE \"C\"",
    "-- DROP TABLE reports;\nCOMMENT ON TABLE reports IS 'what apps send'",
  ]) func `accepts a valid expand migration`(script: String) {
    #expect(MigrationRules.problems(in: "-- expand\n\(script);\n") == [])
  }

  @Test(arguments: [
    ("ALTER TABLE reports DROP COLUMN comment", "older programs use it"),
    ("ALTER TABLE reports RENAME COLUMN comment TO note", "older programs use it"),
    ("ALTER TABLE reports RENAME TO complaints", "older programs use it"),
    ("DROP TABLE reports", "not among the statements"),
    ("DROP INDEX reports_by_id", "not among the statements"),
    ("ALTER TABLE reports ALTER COLUMN weight TYPE double precision", "expect the former type"),
    ("ALTER TABLE reports ALTER COLUMN comment TYPE text COLLATE \"C\"", "expect the former type"),
    ("ALTER TABLE apps ALTER COLUMN name TYPE text COLLATE \"de_DE\"", "expect the former type"),
    ("ALTER TABLE reports ALTER COLUMN comment SET NOT NULL", "may store NULL"),
    ("ALTER TABLE reports ADD COLUMN note text NOT NULL", "must be optional"),
    ("ALTER TABLE reports ADD COLUMN note text UNIQUE", "must be optional"),
    ("ALTER TABLE reports ADD COLUMN note_id bigserial", "must be optional"),
    ("ALTER TABLE reports ADD COLUMN added timestamptz DEFAULT clock_time()", "constant default"),
    ("ALTER TABLE reports ADD COLUMN note text, DROP COLUMN comment", "older programs use it"),
    ("ALTER TABLE reports ADD CONSTRAINT weight_check CHECK (weight > 0)", "may store what it refuses"),
    ("ALTER TABLE reports DROP CONSTRAINT weight_check", "older programs use it"),
    ("ALTER TABLE appeals ADD CONSTRAINT app FOREIGN KEY (app_id) REFERENCES apps", "may store what it refuses"),
    ("CREATE INDEX numbers_by_heat ON numbers (heat)", "stops writes"),
    ("CREATE INDEX CONCURRENTLY numbers_by_heat ON numbers (heat)", "stops writes"),
    ("UPDATE numbers SET heat = 0", "in batches"),
    ("DELETE FROM number_notes", "in batches"),
    ("TRUNCATE number_notes", "in batches"),
    ("LOCK TABLE reports", "not among the statements"),
    ("CREATE TRIGGER t BEFORE INSERT ON reports EXECUTE FUNCTION f()", "not among the statements"),
    ("ALTER TABLE reports ADD COLUMN a text; ALTER TABLE numbers ADD COLUMN a text", "one table a file"),
  ]) func `refuses an expand migration with the reason`(script: String, reason: String) {
    let problems = MigrationRules.problems(in: "-- expand\n\(script);\n")
    #expect(problems.contains { $0.contains(reason) }, "\(problems)")
  }

  @Test func `contract and concurrent migrations are checked`() {
    let good = [
      "-- contract\nALTER TABLE reports DROP COLUMN comment; DROP TABLE number_notes; UPDATE apps SET name = 'x';",
      "-- contract\nALTER TABLE apps ALTER COLUMN name SET NOT NULL;",
      "-- expand, concurrently\nCREATE INDEX CONCURRENTLY IF NOT EXISTS numbers_by_heat ON numbers (heat);",
      "-- contract, concurrently\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a ON numbers (number, heat);",
      "-- contract, concurrently\nDROP INDEX CONCURRENTLY IF EXISTS numbers_by_heat;",
    ]
    for script in good { #expect(MigrationRules.problems(in: script) == [], "\(script)") }
    let bad = [
      "-- contract\nCREATE INDEX numbers_by_heat ON numbers (heat);",
      "-- contract\nALTER TABLE reports ALTER COLUMN comment SET NOT NULL;",
      "-- contract\nALTER TABLE numbers ALTER COLUMN heat TYPE real;",
      "-- contract\nUPDATE numbers SET heat = 0;",
      "-- contract\nVACUUM FULL numbers;",
      "-- expand, concurrently\nCREATE INDEX CONCURRENTLY numbers_by_heat ON numbers (heat);",
      "-- expand, concurrently\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a ON numbers (number, heat);",
      "-- expand, concurrently\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a ON numbers (heat); SELECT 1;",
      "-- expand, concurrently\nDROP INDEX CONCURRENTLY IF EXISTS numbers_by_heat;",
      "-- contract, concurrently\nDO $$ BEGIN DELETE FROM numbers; COMMIT; END $$",
    ]
    for script in bad { #expect(!MigrationRules.problems(in: script).isEmpty, "\(script)") }
  }

  /// Migrations of each kind that could follow the published ones.
  private static let examples = [
    (name: "29991231000000_removal.sql", text: "-- contract\nALTER TABLE apps DROP COLUMN is_list;"),
    (name: "29991231000100_note.sql", text: "-- expand\nALTER TABLE apps ADD COLUMN note text;"),
    (
      name: "29991231000200_apps_by_note.sql",
      text: "-- expand, concurrently\nCREATE INDEX CONCURRENTLY IF NOT EXISTS apps_by_note ON apps (note);"
    ),
    (name: "29991231000300_note_limit.sql", text: "-- contract\nALTER TABLE apps ADD CHECK (length(note) <= 80);"),
  ]

  /// Expand migrations overtake contract ones that wait: the schema is the same in both orders.
  @Test(.emptyDatabase) func `both orders of migrations give the same schema`() async throws {
    let pool = TestDatabase.current.pool
    let scripts = Self.scripts + Self.examples
    let names = scripts.map(\.name)
    let texts = Dictionary(uniqueKeysWithValues: scripts.map { ($0.name, $0.text) })
    let isExpand = texts.mapValues { $0.hasPrefix("-- expand") }
    let schemas = try await withTemporaryFolder { folder in
      var schemas: [[String]] = []
      for overtakes in [false, true] {
        try await pool.withConnection {
          try await $0.execute(script: "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        }
        let place = "\(folder)/\(overtakes)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        // The first migration alone, so that the database is not new any more.
        let steps = overtakes ? [Array(names.prefix(1)), Array(names.dropFirst())] : [names]
        for step in steps {
          for name in step {
            try texts[name]?.write(toFile: "\(place)/\(name)", atomically: true, encoding: .utf8)
          }
          let applied = try await pool.withConnection { connection in
            try await PostgresMigrator(folder: place).migrate(on: connection) { _ in }
          }
          let order = overtakes ? step.filter { isExpand[$0] == true } + step.filter { isExpand[$0] != true } : step
          #expect(applied.map { "\($0.version)_\($0.name).sql" } == order)
        }
        schemas.append(try await schema(pool))
      }
      return schemas
    }
    #expect(schemas[0] == schemas[1])
    #expect(schemas[0].count > 100)
  }

  /// Columns, constraints and indexes, without the order of columns.
  private func schema(_ pool: PostgresPool) async throws -> [String] {
    try await pool.column(
      """
      SELECT concat_ws(' ', 'column', table_name, column_name, data_type, is_nullable, column_default)
      FROM information_schema.columns WHERE table_schema = 'public'
      UNION ALL
      SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL SELECT concat_ws(' ', 'index', indexdef) FROM pg_indexes WHERE schemaname = 'public'
      ORDER BY 1
      """, as: String.self)
  }
}
