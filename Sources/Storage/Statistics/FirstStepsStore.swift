// SPDX-License-Identifier: Apache-2.0

public import Curation
public import PostgreSQL

/// Reads how far an installation is on the way to its first list.
public struct FirstStepsStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The present state. Cases and holds are counted only if nothing is listed.
  public func read() async throws -> FirstSteps {
    try await pool.withConnection { connection in
      guard var steps = try await connection.run(SQL.readFirstSteps()).first else { return FirstSteps() }
      if try await !connection.run(SQL.findVote()).isEmpty { steps.done.insert(.report) }
      if try await !connection.run(SQL.findProtection()).isEmpty { steps.done.insert(.protection) }
      guard steps.entries == 0 else { return steps }
      for (code, count) in try await connection.run(SQL.countHolds()) { steps.held[code] = count }
      steps.cases = try await connection.run(SQL.countCases(without: QueueCause.held.bit)).first ?? 0
      return steps
    }
  }
}

extension SQL {
  /// The steps that few rows show, the entries of the newest publication, and a source that is being read or stored.
  static func readFirstSteps() -> Statement<FirstSteps> {
    Statement(
      """
      SELECT EXISTS (SELECT 1 FROM source_feeds WHERE removed_at IS NULL AND refreshed_at IS NOT NULL), EXISTS (SELECT 1 FROM apps WHERE NOT is_list),
        EXISTS (SELECT 1 FROM publications WHERE state = 'published'),
        (SELECT count(*) > 1 FROM accounts
          WHERE role <> 'triage' AND disabled_at IS NULL AND signed_in_at IS NOT NULL),
        (SELECT coalesce(sum(entries), 0)::bigint FROM publication_packs
          WHERE serial = (SELECT max(serial) FROM publications WHERE state = 'published')),
        (SELECT min(name) FROM source_feeds
          WHERE removed_at IS NULL AND format NOT IN ('protected-list', 'misp-warninglist')
            AND (progress IS NOT NULL OR (refreshed_at IS NULL AND failures = 0))),
        (SELECT min(name) FROM source_feeds WHERE removed_at IS NULL AND refreshed_at IS NULL AND failures > 0),
        EXISTS (SELECT 1 FROM source_feeds WHERE removed_at IS NULL)
      """
    ) { row in
      let steps: [FirstSteps.Step] = [.source, .app, .publication, .moderator]
      let done = try steps.enumerated().filter { try row.decode($0.offset) }.map(\.element)
      var found = FirstSteps(
        done: Set(done), entries: try row.decode(4), unreadSource: try row.decode(5),
        failedSource: try row.decode(6))
      found.hasSource = try row.decode(7)
      return found
    }
  }

  static func findProtection() -> Statement<Int64> {
    Statement("SELECT number FROM protected_numbers LIMIT 1")
  }

  static func findVote() -> Statement<Int64> {
    Statement("SELECT number FROM number_reporters LIMIT 1")
  }

  /// The holds in force by their code.
  static func countHolds() -> Statement<(code: String, count: Int64)> {
    Statement(
      "SELECT reason ->> 'code', count(*) FROM holds WHERE NOT settled AND NOT \(HoldSQL.isUnassigned) GROUP BY 1"
    ) {
      (try $0.decode(0), try $0.decode(1))
    }
  }

  /// The cases without a cause.
  /// - Parameter bit: ``QueueCause/bit``.
  static func countCases(without bit: Int16) -> Statement<Int64> {
    Statement("SELECT count(*) FROM queue WHERE causes & $1::smallint = 0", bit)
  }
}
