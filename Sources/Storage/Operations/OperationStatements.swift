// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

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

  /// Number of finished publication runs by state and cause.
  static func countRuns() -> Statement<OperationalStatistics.Runs> {
    Statement(
      """
      SELECT state, cause, count(*) FROM publications WHERE state <> 'running' GROUP BY state, cause ORDER BY state, cause
      """
    ) { .init(state: try $0.decode(0), cause: try $0.decode(1), count: try $0.decode(2)) }
  }

  /// Number of gates that the last finished run did not pass and nobody overrode.
  static func countFailedGates() -> Statement<Int64> {
    Statement(
      """
      SELECT count(*) FROM publication_gates
      WHERE serial = (SELECT max(serial) FROM publications WHERE state <> 'running')
        AND NOT passed AND overruled_by IS NULL
      """
    ) { try $0.decode(0) }
  }

  /// Webhook messages that are not delivered.
  static func readWebhookBacklog() -> Statement<OperationalStatistics.Waiting> {
    Statement(
      "SELECT count(*), min(created_at) FROM webhook_deliveries WHERE delivered_at IS NULL"
    ) { try .init($0) }
  }

  /// Open revocations.
  static func countOpenRevocations() -> Statement<OperationalStatistics.Waiting> {
    Statement(
      "SELECT count(*), min(requested_at) FROM revocations WHERE settled_at IS NULL"
    ) { try .init($0) }
  }

  /// Cases in the review queue.
  static func readReviewQueue() -> Statement<OperationalStatistics.Waiting> {
    Statement(
      "SELECT count(*), min(since) FROM queue"
    ) { try .init($0) }
  }

  /// Numbers of sources by the outcome of their last download.
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

  /// Number of monthly partitions of reports.
  static func countReportPartitions() -> Statement<Int64> {
    Statement(
      "SELECT count(*) FROM pg_inherits WHERE inhparent = 'public.reports'::regclass"
    ) { try $0.decode(0) }
  }
}

extension OperationalStatistics.Waiting {
  /// From the columns count, oldest.
  fileprivate init(_ row: PostgresRow) throws {
    self.init(count: try row.decode(0), oldest: try row.decode(1))
  }
}
