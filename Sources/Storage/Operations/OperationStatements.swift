// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// The newest publication, with the sums of its packs.
struct ReadNewestStatistics: PostgresStatement {
  static let sql = """
    SELECT p.serial, p.published_at, coalesce(sum(k.entries), 0)::bigint, coalesce(sum(k.size_bytes), 0)::bigint
    FROM publications p LEFT JOIN publication_packs k USING (serial)
    WHERE p.serial = (SELECT max(serial) FROM publications WHERE state = 'published')
    GROUP BY p.serial, p.published_at
    """

  static func decode(_ row: PostgresRow) throws -> OperationalStatistics.Newest {
    .init(
      serial: try row.decode(0), publishedAt: try row.decode(1), entries: try row.decode(2), bytes: try row.decode(3))
  }
}

/// Its packs, limited in number, because a recipe for each region may make very many.
struct ReadPackStatistics: PostgresStatement {
  static let sql = """
    SELECT name, entries, size_bytes FROM publication_packs
    WHERE serial = (SELECT max(serial) FROM publications WHERE state = 'published') ORDER BY name LIMIT 100
    """

  static func decode(_ row: PostgresRow) throws -> OperationalStatistics.Pack {
    .init(name: try row.decode(0), entries: try row.decode(1), bytes: try row.decode(2))
  }
}

/// Number of finished publication runs by state and cause.
struct CountRuns: PostgresStatement {
  static let sql = """
    SELECT state, cause, count(*) FROM publications WHERE state <> 'running' GROUP BY state, cause ORDER BY state, cause
    """

  static func decode(_ row: PostgresRow) throws -> OperationalStatistics.Runs {
    .init(state: try row.decode(0), cause: try row.decode(1), count: try row.decode(2))
  }
}

/// Number of gates that the last finished run did not pass and nobody overrode.
struct CountFailedGates: PostgresStatement {
  static let sql = """
    SELECT count(*) FROM publication_gates
    WHERE serial = (SELECT max(serial) FROM publications WHERE state <> 'running')
      AND NOT passed AND overruled_by IS NULL
    """

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Webhook messages that are not delivered.
struct ReadWebhookBacklog: PostgresStatement {
  static let sql = "SELECT count(*), min(created_at) FROM webhook_deliveries WHERE delivered_at IS NULL"
  static func decode(_ row: PostgresRow) throws -> OperationalStatistics.Waiting { try .init(row) }
}

/// Open revocations.
struct CountOpenRevocations: PostgresStatement {
  static let sql = "SELECT count(*), min(requested_at) FROM revocations WHERE settled_at IS NULL"
  static func decode(_ row: PostgresRow) throws -> OperationalStatistics.Waiting { try .init(row) }
}

/// Cases in the review queue.
struct ReadReviewQueue: PostgresStatement {
  static let sql = "SELECT count(*), min(since) FROM queue"
  static func decode(_ row: PostgresRow) throws -> OperationalStatistics.Waiting { try .init(row) }
}

/// Numbers of sources by the outcome of their last download.
struct ReadSourceStates: PostgresStatement {
  static let sql = """
    SELECT count(*) FILTER (WHERE failures = 0), count(*) FILTER (WHERE failures > 0),
           min(coalesce(refreshed_at, added_at))
    FROM source_feeds WHERE removed_at IS NULL
    """

  static func decode(_ row: PostgresRow) throws -> (good: Int64, failing: Int64, oldest: Date?) {
    (try row.decode(0), try row.decode(1), try row.decode(2))
  }
}

/// The figures of each source, the first hundred by name.
struct ReadSourceFigures: PostgresStatement {
  static let sql = """
    SELECT name, refreshed_at, entries, failures, confirmed, wrong, suspended_at IS NOT NULL
    FROM source_feeds WHERE removed_at IS NULL ORDER BY name LIMIT 100
    """

  static func decode(_ row: PostgresRow) throws -> OperationalStatistics.Source {
    OperationalStatistics.Source(
      name: try row.decode(0), refreshedAt: try row.decode(1), entries: try row.decode(2),
      failures: Int64(try row.decode(3, as: Int32.self)), confirmed: try row.decode(4), wrong: try row.decode(5),
      isSuspended: try row.decode(6))
  }
}

/// Number of monthly partitions of reports.
struct CountReportPartitions: PostgresStatement {
  static let sql = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'public.reports'::regclass"
  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

extension OperationalStatistics.Waiting {
  /// From the columns count, oldest.
  fileprivate init(_ row: PostgresRow) throws {
    self.init(count: try row.decode(0), oldest: try row.decode(1))
  }
}
