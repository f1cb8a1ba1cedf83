// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// A database of every published schema, with data in it, is upgraded to the newest one and to the one after that.
@Suite(.emptyDatabase) struct UpgradeTests {
  /// The file of every migration, in order.
  private static let files = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Checkout.migrations)) ?? []
    return names.filter { $0.hasSuffix(".sql") }.sorted()
  }()

  /// Migrations that could follow the published ones.
  private static let additions = [
    "29991230000000_note.sql": "-- expand\nALTER TABLE numbers ADD COLUMN note text;",
    "29991230000100_numbers_by_note.sql":
      "-- expand, concurrently\nCREATE INDEX CONCURRENTLY IF NOT EXISTS numbers_by_note ON numbers (note);",
  ]

  /// The published files and the additions.
  private static let steps = files + additions.keys.sorted()

  /// A migration that comes after all others: it adds a column to a table with rows, and fills it from another table.
  private static let next = (
    name: "29991231000000_example.sql",
    script: """
    -- contract
    ALTER TABLE apps ADD COLUMN reports bigint;
    UPDATE apps a SET reports = (SELECT count(*) FROM reports r WHERE r.app_id = a.app_id);
    ALTER TABLE apps ALTER COLUMN reports SET NOT NULL;
    """
  )

  /// Rows that are inserted at a schema version; each later migration finds them.
  private static let data: [String: String] = [
    "20261122120000": """
    INSERT INTO apps (name, created_at, is_list) VALUES
      ('Phone', '2026-01-01T00:00:00Z', false), ('A list', '2026-01-01T00:00:00Z', true);
    INSERT INTO app_keys (app_id, key_hash, hint, scopes, created_at, created_by) VALUES
      (1, decode(repeat('ab', 32), 'hex'), 'rf_ab', 15, '2026-01-01T00:00:00Z', 'Ada');
    CREATE TABLE reports_2026_01 PARTITION OF reports
      FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-02-01 00:00:00+00');
    INSERT INTO reports
      (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment, key_id) VALUES
      (12015550123, 1, '00000000-0000-4000-8000-000000000001', '2026-01-05T10:00:00Z', '2026-01-05T10:00:01Z', 1,
       decode(repeat('01', 16), 'hex'), 1, 'A recorded voice.', 1),
      (12015550123, 1, '00000000-0000-4000-8000-000000000002', '2026-01-06T10:00:00Z', '2026-01-06T10:00:01Z', 6,
       decode(repeat('02', 16), 'hex'), 1, NULL, 1),
      (12015550123, 1, '00000000-0000-4000-8000-000000000003', '2026-01-09T10:00:00Z', '2026-01-09T10:00:01Z', 1,
       decode(repeat('02', 16), 'hex'), 1, NULL, 1),
      (33199000248, 2, '00000000-0000-4000-8000-000000000004', '2026-01-07T10:00:00Z', '2026-01-08T10:00:01Z', 4,
       NULL, 1, NULL, NULL);
    INSERT INTO number_reporters (number, reporter, category_id, reported_at, weight, received_at) VALUES
      (12015550123, decode(repeat('01', 16), 'hex'), 1, '2026-01-05T10:00:00Z', 1, '2026-01-05T10:00:01Z'),
      (12015550123, decode(repeat('02', 16), 'hex'), 1, '2026-01-09T10:00:00Z', 1, '2026-01-09T10:00:01Z');
    INSERT INTO number_categories (number, category_id, heat, evidence, reports, reporters)
      SELECT known.number, known.category_id, sums.heat, sums.evidence, known.reports, known.reporters
      FROM (VALUES (12015550123, 1, 2, 2), (12015550123, 6, 1, 0), (33199000248, 4, 1, 0))
        AS known (number, category_id, reports, reporters)
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(exp(extract(epoch FROM reported_at - '2030-01-01T00:00:00Z'::timestamptz)::float8
                                / (14 * 86400 / ln(2)::float8))), 0) AS heat,
               coalesce(sum(exp(extract(epoch FROM reported_at - '2030-01-01T00:00:00Z'::timestamptz)::float8
                                / (125 * 86400 / ln(2)::float8))), 0) AS evidence
        FROM (VALUES (12015550123, 1, '2026-01-05T10:00:00Z'::timestamptz),
                     (12015550123, 1, '2026-01-09T10:00:00Z'), (33199000248, 4, '2026-01-07T10:00:00Z'))
          AS vote (number, category_id, reported_at)
        WHERE vote.number = known.number AND vote.category_id = known.category_id
      ) sums;
    INSERT INTO numbers
      (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at, day_bits, last_day)
      SELECT number, sum(heat), sum(evidence), 0, sum(c.reports), sum(c.reporters), min(r.first), max(r.last),
             max(r.bits), max(r.day)
      FROM number_categories c
      JOIN (VALUES (12015550123, '2026-01-05T10:00:00Z'::timestamptz, '2026-01-09T10:00:00Z'::timestamptz, 25,
                    '2026-01-09'::date),
                   (33199000248, '2026-01-07T10:00:00Z', '2026-01-07T10:00:00Z', 0, NULL))
        AS r (number, first, last, bits, day) USING (number)
      GROUP BY number;
    INSERT INTO number_sources
      SELECT number, 2, 1, heat, evidence, 1, '2026-01-07' FROM numbers WHERE number = 33199000248;
    INSERT INTO identification_days VALUES (12015550123, '2026-01-05', 3, 1);
    INSERT INTO number_identifications VALUES
      (12015550123,
       4 * exp(extract(epoch FROM '2026-01-05T12:00:00Z'::timestamptz - '2030-01-01T00:00:00Z'::timestamptz)::float8
               / (14 * 86400 / ln(2)::float8)),
       3, 1, '2026-01-05');
    INSERT INTO decisions (number, decision_id, decision, reason, decided_by, decided_at) VALUES
      (12015550123, '00000000-0000-4000-8000-00000000000a', 'block', 'Tapes.', 'Ada', '2026-01-11T00:00:00Z');
    INSERT INTO number_decisions VALUES
      (12015550123, 'block', NULL, NULL, '00000000-0000-4000-8000-00000000000a', '2026-01-11T00:00:00Z');
    INSERT INTO appeals (number, appeal_id, state, statement, filed_at) VALUES
      (33199000248, '00000000-0000-4000-8000-00000000000b', 'open', 'Not me.', '2026-01-12T00:00:00Z');
    INSERT INTO directory_sources (name, priority, generation) VALUES ('schools', 1, 1);
    CREATE TABLE directory_entries_1 PARTITION OF directory_entries FOR VALUES IN (1);
    INSERT INTO directory_entries VALUES (493012345, 1, 1, 'A school', NULL);
    INSERT INTO publications (serial, published_at, as_of, manifest_sha256, state) VALUES
      (1, '2026-01-10T03:00:00Z', '2026-01-10T03:00:00Z', decode(repeat('cd', 32), 'hex'), 'published');
    INSERT INTO revocations (revocation_id, number, action, reason, requested_by, requested_at) VALUES
      ('00000000-0000-4000-8000-00000000000c', 12015550123, 'remove', 'An appeal.', 'Ada', '2026-01-12T00:00:00Z');
    INSERT INTO accounts (name, role, created_at) VALUES ('Ada', 'administrator', '2026-01-01T00:00:00Z');
    """
  ]

  /// Copies migrations into a folder and applies all that are in it.
  private func migrate(_ files: some Collection<String>, in folder: String) async throws -> [PostgresMigration] {
    for file in files where !FileManager.default.fileExists(atPath: "\(folder)/\(file)") {
      let script = try Self.additions[file] ?? String(contentsOfFile: "\(Checkout.migrations)/\(file)", encoding: .utf8)
      try script.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    }
    return try await pool.withConnection { connection in
      try await PostgresMigrator(folder: folder).migrate(on: connection) { _ in }
    }
  }

  @Test(arguments: 1...Self.steps.count) func `a database of every version is upgraded`(count: Int) async throws {
    try await withTemporaryFolder { folder in
      for file in Self.steps.prefix(count) {
        _ = try await migrate([file], in: folder)
        guard let script = Self.data[String(file.prefix(14))] else { continue }
        try await pool.withConnection { try await $0.execute(script: script) }
      }
      #expect(try await migrate(Self.steps, in: folder).count == Self.steps.count - count)
      try await checkData()
      try Self.next.script.write(toFile: "\(folder)/\(Self.next.name)", atomically: true, encoding: .utf8)
      #expect(try await migrate([], in: folder).map(\.name) == ["example"])
      #expect(try await migrate([], in: folder).isEmpty)
    }
    let counts = try await pool.column("SELECT reports FROM apps ORDER BY app_id", as: Int64.self)
    #expect(counts == [3, 1])
    try await checkData()
  }

  /// Expects that all rows exist, the sums agree with the reports, and a retry of a report is recognized.
  private func checkData() async throws {
    let rows = try await BackupStore(pool: pool).tables()
    let expected: [String: Int64] = [
      "reports": 4, "number_reporters": 2, "numbers": 2, "number_identifications": 1, "apps": 2, "app_keys": 1,
      "decisions": 1, "number_decisions": 1, "appeals": 1, "directory_entries": 1, "publications": 1, "revocations": 1,
      "accounts": 1,
    ]
    for (table, count) in expected { #expect(rows[table] == count, "\(table)") }
    let summary = try await RecountStore(pool: pool).recount(repairs: false) { differences in
      #expect(differences.isEmpty)
    }
    #expect(summary.damagedNumbers == 0)
    let retry = Report(
      number: 33_199_000_248, appID: 2,
      reportID: try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000004")),
      reportedAt: Date(timeIntervalSince1970: 1_767_780_000), category: .telemarketing, reporter: nil, comment: nil)
    #expect(try await ReportStore(pool: pool).accept([retry], receivedAt: Date()) == [.duplicate])
  }

  @Test func `several servers can migrate in parallel`() async throws {
    let applied = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await pool.withConnection { connection in
            try await PostgresMigrator(folder: Checkout.migrations).migrate(on: connection).map(\.version)
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(applied.sorted() == Self.files.compactMap { Int64($0.prefix(14)) })
  }
}
