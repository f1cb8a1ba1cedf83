// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// The progress of PostgreSQL's archiver, which copies the write-ahead log to the archive.
public struct ArchiverState: Sendable, Equatable {
  /// The time by the database's clock.
  public var time: Date
  /// The last copied segment.
  public var lastSegment: String?
  /// The time at which it was copied.
  public var lastTime: Date?
  /// Failed attempts since the statistics were reset.
  public var failures: Int64
  /// The segment of the last failed attempt.
  public var failedSegment: String?
  /// The time of the last failed attempt.
  public var failedTime: Date?
  /// Segments that wait to be copied.
  public var waiting: Int64
  /// The time at which the oldest of them became full.
  public var waitingSince: Date?
}

extension SQL {
  /// Reads the archiver's progress. The role of a PostgreSQL of DATABASE_URL may have no right to list the files.
  static func readArchiverState() -> Statement<ArchiverState> {
    Statement(
      """
      SELECT statement_timestamp(), a.last_archived_wal, a.last_archived_time, a.failed_count, a.last_failed_wal,
             a.last_failed_time, r.files, r.oldest
      FROM pg_stat_archiver a,
           (SELECT count(*) AS files, min(modification) AS oldest FROM pg_ls_archive_statusdir()
            WHERE name LIKE '%.ready') r
      """
    ) { row in
      ArchiverState(
        time: try row.decode(0), lastSegment: try row.decode(1), lastTime: try row.decode(2),
        failures: try row.decode(3), failedSegment: try row.decode(4), failedTime: try row.decode(5),
        waiting: try row.decode(6), waitingSince: try row.decode(7))
    }
  }
}

extension OperationStore {
  /// The progress of the private PostgreSQL's archiver.
  /// - Throws: `PostgresError`.
  public func archiverState() async throws -> ArchiverState? { try await pool.run(SQL.readArchiverState()).first }
}
