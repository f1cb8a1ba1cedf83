import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// A database of every version there has been, with data in it, comes to the newest whole.
@Suite(.emptyDatabase) struct UpgradeTests {
  private var pool: PostgresPool { TestDatabase.current.pool }

  /// Every migration's file, in order.
  private static let files = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Checkout.migrations)) ?? []
    return names.filter { $0.hasSuffix(".sql") }.sorted()
  }()

  /// What is put into a database as soon as it has come to a version; each later migration finds it there.
  private static let data: [String: String] = [
    "20261121120000": """
    INSERT INTO apps (name, key_hash, created_at) VALUES
      ('Phone', decode(repeat('ab', 32), 'hex'), '2026-01-01T00:00:00Z'), ('A list', NULL, '2026-01-01T00:00:00Z');
    CREATE TABLE reports_2026_01 PARTITION OF reports
      FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-02-01 00:00:00+00');
    INSERT INTO reports
      (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment) VALUES
      (12015550123, 1, '00000000-0000-4000-8000-000000000001', '2026-01-05T10:00:00Z', '2026-01-05T10:00:01Z', 1,
       decode(repeat('01', 16), 'hex'), 1, 'A vote on tape.'),
      (12015550123, 1, '00000000-0000-4000-8000-000000000002', '2026-01-06T10:00:00Z', '2026-01-06T10:00:01Z', 6,
       decode(repeat('02', 16), 'hex'), 1, NULL),
      (12015550123, 1, '00000000-0000-4000-8000-000000000003', '2026-01-09T10:00:00Z', '2026-01-09T10:00:01Z', 1,
       decode(repeat('02', 16), 'hex'), 1, NULL),
      (33162000248, 2, '00000000-0000-4000-8000-000000000004', '2026-01-07T10:00:00Z', '2026-01-08T10:00:01Z', 4,
       NULL, 1, NULL);
    INSERT INTO number_reporters (number, reporter, category_id, reported_at, weight) VALUES
      (12015550123, decode(repeat('01', 16), 'hex'), 1, '2026-01-05T10:00:00Z', 1),
      (12015550123, decode(repeat('02', 16), 'hex'), 1, '2026-01-09T10:00:00Z', 1);
    INSERT INTO number_categories (number, category_id, heat, evidence, reports, reporters)
      SELECT known.number, known.category_id, mass.heat, mass.evidence, known.reports, known.reporters FROM (VALUES (12015550123, 1, 2, 2), (12015550123, 6, 1, 0), (33162000248, 4, 1, 0))
        AS known (number, category_id, reports, reporters)
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(exp(extract(epoch FROM said - '2030-01-01T00:00:00Z'::timestamptz)::float8
                                / (14 * 86400 / ln(2)::float8))), 0) AS heat,
               coalesce(sum(exp(extract(epoch FROM said - '2030-01-01T00:00:00Z'::timestamptz)::float8
                                / (125 * 86400 / ln(2)::float8))), 0) AS evidence
        FROM (VALUES (12015550123, 1, '2026-01-05T10:00:00Z'::timestamptz),
                     (12015550123, 1, '2026-01-09T10:00:00Z'), (33162000248, 4, '2026-01-07T10:00:00Z'))
          AS word (number, category_id, said)
        WHERE word.number = known.number AND word.category_id = known.category_id
      ) mass
    """,
    "20261121120100": """
    INSERT INTO publications VALUES (1, '2026-01-10T03:00:00Z', '2026-01-10T03:00:00Z', decode(repeat('cd', 32), 'hex'));
    INSERT INTO moderators (name, created_at) VALUES ('Ada', '2026-01-01T00:00:00Z');
    INSERT INTO sessions VALUES (decode(repeat('ef', 32), 'hex'), 1, '2036-01-01T00:00:00Z');
    """,
    "20261121130000": """
    INSERT INTO number_days VALUES (12015550123, '2026-01-05', 3, 1);
    """,
    "20261121150000": """
    INSERT INTO decisions (number, decision_id, decision, reason, moderator, decided_at) VALUES
      (12015550123, '00000000-0000-4000-8000-00000000000a', 'block', 'Tapes.', 'Ada', '2026-01-11T00:00:00Z');
    INSERT INTO number_decisions VALUES
      (12015550123, 'block', NULL, NULL, '00000000-0000-4000-8000-00000000000a', '2026-01-11T00:00:00Z');
    INSERT INTO holds VALUES (33162000248, 'brigade', 'Many newcomers.', '2026-01-11T00:00:00Z', false);
    INSERT INTO appeals (number, appeal_id, state, statement, filed_at) VALUES
      (33162000248, '00000000-0000-4000-8000-00000000000b', 'open', 'Not me.', '2026-01-12T00:00:00Z');
    INSERT INTO protected_patterns VALUES ('+49116xxx', 'Charities', 'Ada', '2026-01-01T00:00:00Z');
    """,
    "20261121160000": """
    INSERT INTO directory_sources (name, priority, generation) VALUES ('schools', 1, 1);
    CREATE TABLE directory_entries_1 PARTITION OF directory_entries FOR VALUES IN (1);
    INSERT INTO directory_entries VALUES (493012345, 1, 1, 'A school', NULL);
    """,
    "20261121170000": """
    INSERT INTO revocations (revocation_id, number, action, reason, requested_by, requested_at) VALUES
      ('00000000-0000-4000-8000-00000000000c', 12015550123, 'remove', 'An appeal.', 'Ada', '2026-01-12T00:00:00Z');
    """,
  ]

  /// Copies some migrations to a folder of their own and applies them.
  private func migrate(_ files: some Collection<String>, in folder: String) async throws -> [PostgresMigration] {
    for file in files where !FileManager.default.fileExists(atPath: "\(folder)/\(file)") {
      try FileManager.default.copyItem(atPath: "\(Checkout.migrations)/\(file)", toPath: "\(folder)/\(file)")
    }
    return try await pool.withConnection { try await PostgresMigrator(folder: folder).migrate(on: $0) }
  }

  /// The aggregates as the program that took the reports would have left them.
  private static let numbers = """
    INSERT INTO numbers (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at)
    SELECT number, sum(heat), sum(evidence), 0, sum(c.reports), sum(c.reporters), min(r.first), max(r.last)
    FROM number_categories c
    JOIN (SELECT number, min(reported_at) AS first, max(reported_at) AS last FROM reports GROUP BY number) r
      USING (number)
    GROUP BY number
    """

  @Test(arguments: 1...Self.files.count) func aDatabaseOfEveryVersionComesToTheNewest(count: Int) async throws {
    try await withTemporaryFolder { folder in
      for file in Self.files.prefix(count) {
        _ = try await migrate([file], in: folder)
        guard let script = Self.data[String(file.prefix(14))] else { continue }
        try await pool.withConnection { connection in
          try await connection.execute(script: script)
          if file == Self.files[0] { try await connection.execute(script: Self.numbers) }
        }
      }
      let later = try await migrate(Self.files, in: folder)
      #expect(later.count == Self.files.count - count)
      #expect(try await migrate(Self.files, in: folder).isEmpty)
    }
    let rows = try await BackupStore(pool: pool).tables()
    #expect(rows["reports"] == 4 && rows["number_reporters"] == 2 && rows["numbers"] == 2)
    #expect(rows["apps"] == 2 && rows["app_keys"] == 1)
    if count >= 2 { #expect(rows["publications"] == 1 && rows["moderators"] == 1) }
    if count >= 5 { #expect(rows["decisions"] == 1 && rows["appeals"] == 1 && rows["holds"] == 1) }
    let summary = try await RecountStore(pool: pool).recount(repairs: false) { differences in
      // Days of identifications were put in without their sums.
      #expect(differences.allSatisfy { $0.what.hasPrefix("number_identifications") }, "\(differences)")
    }
    #expect(summary.damagedNumbers <= 1)
    // What came along can be worked on: the reporter's word is replaced, and a retry is known.
    let store = ReportStore(pool: pool)
    let retry = Report(
      number: 33_162_000_248, appID: 2,
      reportID: try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000004")),
      reportedAt: Date(timeIntervalSince1970: 1_767_780_000), category: .telemarketing, reporter: nil, comment: nil)
    #expect(try await store.accept([retry], receivedAt: Date()) == [.duplicate])
  }

  @Test func twoServersMayMigrateAtOnce() async throws {
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
