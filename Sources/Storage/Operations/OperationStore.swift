// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Figures for operators, read in a few small statements, none of which reads a table of numbers.
public struct OperationStore: Sendable {
  let pool: PostgresPool

  /// - Parameter pool: the pool that requests use, which is measured too.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Connections in use, idle connections, and tasks that wait for a connection.
  public var occupancy: (leased: Int, idle: Int, waiting: Int) { pool.occupancy }

  /// All figures, read on one connection.
  /// - Throws: `PostgresError`.
  public func figures() async throws -> OperationalStatistics {
    try await pool.withConnection { connection in
      let sources = try await connection.run(SQL.readSourceStates()).first
      return OperationalStatistics(
        newest: try await connection.run(SQL.readNewestStatistics()).first,
        packs: try await connection.run(SQL.readPackStatistics()),
        runs: try await connection.run(SQL.countRuns()),
        failedGates: try await connection.run(SQL.countFailedGates()).first ?? 0,
        hasFailedRun: try await connection.run(SQL.readWhetherLastRunFailed()).first ?? false,
        outbox: try await connection.run(SQL.readOutboxBacklog()).first ?? .init(count: 0),
        revocations: try await connection.run(SQL.countOpenRevocations()).first ?? .init(count: 0),
        reviewQueue: try await connection.run(SQL.readReviewQueue()).first ?? .init(count: 0),
        goodSources: sources?.good ?? 0, failingSources: sources?.failing ?? 0, oldestSource: sources?.oldest,
        sources: try await connection.run(SQL.readSourceFigures()),
        partitions: try await connection.run(SQL.countReportPartitions()).first ?? 0,
        clients: try await connection.run(SQL.readClientVersions(since: Date() - 86_400)))
    }
  }
}

extension OperationStore {
  /// The country of most stored numbers, by a small part of them; nil where none has one.
  public func commonCountry() async throws -> String? {
    let countries = try await pool.run(SQL.readSomeNumbers(limit: 1_000)).compactMap {
      RegionMap.countries.region(of: $0)
    }
    let counts = Dictionary(countries.map { ($0, 1) }, uniquingKeysWith: +)
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }
}

extension SQL {
  static func readSomeNumbers(limit: Int) -> Statement<Int64> {
    Statement("SELECT number FROM numbers LIMIT $1::bigint", Int64(limit))
  }
}

/// Figures of the database for operators.
public struct OperationalStatistics: Sendable, Equatable {
  /// The newest publication that became visible.
  public struct Newest: Sendable, Equatable {
    public var serial: Int64
    /// When it became visible.
    public var publishedAt: Date
    /// Number of entries in all packs.
    public var entries: Int64
    /// Total size of the pack files in bytes.
    public var bytes: Int64
  }

  /// A pack of the newest publication.
  public struct Pack: Sendable, Equatable {
    public var name: String
    public var entries: Int64
    public var bytes: Int64
  }

  /// Number of finished publication runs with one state and cause.
  public struct Runs: Sendable, Equatable {
    /// Raw value of ``PublicationRun/State``.
    public var state: String
    /// Raw value of ``PublicationRun/Cause``.
    public var cause: String
    public var count: Int64
  }

  /// Items that wait to be processed.
  public struct Waiting: Sendable, Equatable {
    public var count: Int64
    /// When the oldest item was added; nil where none waits.
    public var oldest: Date?
  }

  /// A source that is downloaded.
  public struct Source: Sendable, Equatable {
    public var name: String
    public var refreshedAt: Date?
    public var entries: Int64
    /// Failed attempts since the last success.
    public var failures: Int64
    /// Its numbers that decisions block or identify.
    public var confirmed: Int64
    /// Its numbers that decisions allow.
    public var wrong: Int64
    public var isSuspended: Bool
  }

  public var newest: Newest?
  /// Its first hundred packs by name.
  public var packs: [Pack]
  /// All finished runs.
  public var runs: [Runs]
  /// Gates that the last finished run did not pass and nobody overrode.
  public var failedGates: Int64
  /// Whether the last finished run failed, except at a gate.
  public var hasFailedRun: Bool
  /// Messages to webhooks and mail addresses that are not delivered.
  public var outbox: Waiting
  public var revocations: Waiting
  public var reviewQueue: Waiting
  /// Sources whose last download succeeded, or that wait for the first one.
  public var goodSources: Int64
  /// Sources whose last download failed.
  public var failingSources: Int64
  /// When the source was read that was read the longest time ago; nil where there is none.
  public var oldestSource: Date?
  /// The first hundred sources by name.
  public var sources: [Source]
  /// Number of monthly partitions of reports.
  public var partitions: Int64
  /// Requests for the manifest in the last day, by version.
  public var clients: [ClientVersion]
}

extension SQL {
  /// The newest publication, with the sums of its packs.
  static func readNewestStatistics() -> Statement<OperationalStatistics.Newest> {
    Statement(
      """
      SELECT p.serial, p.published_at, coalesce(sum(k.entries), 0)::bigint, coalesce(sum(k.size_bytes), 0)::bigint
      FROM publications p LEFT JOIN publication_packs k USING (serial)
      WHERE p.serial = (SELECT max(serial) FROM publications WHERE state = 'published')
      GROUP BY p.serial, p.published_at
      """
    ) { row in
      .init(
        serial: try row.decode(0), publishedAt: try row.decode(1), entries: try row.decode(2), bytes: try row.decode(3))
    }
  }

  /// Its packs, limited in number, because a recipe for each region may make very many.
  static func readPackStatistics() -> Statement<OperationalStatistics.Pack> {
    Statement(
      """
      SELECT name, entries, size_bytes FROM publication_packs
      WHERE serial = (SELECT max(serial) FROM publications WHERE state = 'published') ORDER BY name LIMIT 100
      """
    ) { .init(name: try $0.decode(0), entries: try $0.decode(1), bytes: try $0.decode(2)) }
  }

  static func countRuns() -> Statement<OperationalStatistics.Runs> {
    Statement(
      """
      SELECT state, cause, count(*) FROM publications WHERE state <> 'running' GROUP BY state, cause ORDER BY state, cause
      """
    ) { .init(state: try $0.decode(0), cause: try $0.decode(1), count: try $0.decode(2)) }
  }

  /// Number of gates that the last finished run did not pass and nobody overrode. Later revocations that were carried out
  /// do not change it.
  static func countFailedGates() -> Statement<Int64> {
    Statement(
      """
      SELECT count(*) FROM publication_gates
      WHERE serial = (SELECT max(serial) FROM publications
                      WHERE state <> 'running' AND (state <> 'published' OR cause <> 'revocation'))
        AND NOT passed AND overruled_by IS NULL
      """)
  }

  static func readWhetherLastRunFailed() -> Statement<Bool> {
    Statement(
      """
      SELECT state = 'failed' FROM publications
      WHERE state <> 'running' AND coalesce(failure ->> 'code', '') <> $1 ORDER BY serial DESC LIMIT 1
      """,
      PublicationFailure.Code.serialsReserved.name)
  }

  static func readOutboxBacklog() -> Statement<OperationalStatistics.Waiting> {
    Statement("SELECT count(*), min(created_at) FROM outbox WHERE delivered_at IS NULL") { try .init($0) }
  }

  static func countOpenRevocations() -> Statement<OperationalStatistics.Waiting> {
    Statement("SELECT count(*), min(requested_at) FROM revocations WHERE settled_at IS NULL") { try .init($0) }
  }

  static func readReviewQueue() -> Statement<OperationalStatistics.Waiting> {
    Statement("SELECT count(*), min(since) FROM queue") { try .init($0) }
  }

  static func readSourceStates() -> Statement<(good: Int64, failing: Int64, oldest: Date?)> {
    Statement(
      """
      SELECT count(*) FILTER (WHERE failures = 0), count(*) FILTER (WHERE failures > 0),
             min(coalesce(refreshed_at, added_at))
      FROM source_feeds WHERE removed_at IS NULL
      """
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  /// The figures of each source, the first hundred by name.
  static func readSourceFigures() -> Statement<OperationalStatistics.Source> {
    Statement(
      """
      SELECT name, refreshed_at, entries, failures, confirmed, wrong, suspended_at IS NOT NULL
      FROM source_feeds WHERE removed_at IS NULL ORDER BY name LIMIT 100
      """
    ) { row in
      OperationalStatistics.Source(
        name: try row.decode(0), refreshedAt: try row.decode(1), entries: try row.decode(2),
        failures: Int64(try row.decode(3, as: Int32.self)), confirmed: try row.decode(4), wrong: try row.decode(5),
        isSuspended: try row.decode(6))
    }
  }

  static func countReportPartitions() -> Statement<Int64> {
    Statement("SELECT count(*) FROM pg_inherits WHERE inhparent = 'public.reports'::regclass")
  }
}

extension OperationalStatistics.Waiting {
  /// From the columns count, oldest.
  fileprivate init(_ row: PostgresRow) throws {
    self.init(count: try row.decode(0), oldest: try row.decode(1))
  }
}

/// Statistics of the tables that a large import fills.
enum RefreshStatistics {
  /// One command a table: Citus does not analyze several tables in one command.
  static let commands = ["numbers", "number_categories", "number_reporters", "number_sources", "categories"].map {
    "ANALYZE \($0)"
  }
}
