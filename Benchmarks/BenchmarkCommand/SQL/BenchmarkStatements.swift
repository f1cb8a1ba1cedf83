// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage

/// The definition of the scratch schema.
enum BenchmarkSchema {
  static let name = "benchmark_intake"

  static let drop = "DROP SCHEMA IF EXISTS \(name) CASCADE"
  static let create = "CREATE SCHEMA \(name)"
  static let enter = "SET search_path TO \(name)"

  static let tables = """
    CREATE TABLE benchmark_marker (marker integer);
    CREATE TABLE benchmark_bare (
      number bigint, app_id integer, report_id uuid, reported_at timestamptz, received_at timestamptz,
      category_id smallint, reporter bytea, weight real, comment text);
    CREATE TABLE benchmark_copied (LIKE benchmark_bare)
    """

  static let copy = """
    COPY benchmark_copied (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment)
    FROM STDIN (FORMAT binary)
    """
}

/// The statements of benchmarks.
enum BenchmarkSQL {}

extension BenchmarkSQL {
  /// Reads the settings that decide what a benchmark measures.
  static func readBenchmarkSettings() -> Statement<BenchmarkSettings> {
    Statement(
      """
      SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes'),
             current_setting('server_version'), current_setting('max_connections')::integer,
             (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer
      """
    ) { row in
      BenchmarkSettings(
        fsync: try row.decode(0), synchronousCommit: try row.decode(1), fullPageWrites: try row.decode(2),
        version: try row.decode(3), maximumConnections: Int(try row.decode(4, as: Int32.self)),
        usedConnections: Int(try row.decode(5, as: Int32.self)))
    }
  }

  /// Counts the rows that pgbench has committed: reports, and bare rows.
  static func countBenchmarkRows() -> Statement<(reports: Int, bare: Int)> {
    Statement(
      "SELECT (SELECT count(*) FROM reports), (SELECT count(*) FROM benchmark_bare)"
    ) { (Int(try $0.decode(0, as: Int64.self)), Int(try $0.decode(1, as: Int64.self))) }
  }
}

/// A report as a row of the table for COPY.
struct BareReportRow: PostgresCopyRow {
  let report: Report
  let receivedAt: Date

  func encode(into tuple: inout PostgresCopyTuple) {
    tuple.append(report.number)
    tuple.append(report.appID)
    tuple.append(report.reportID)
    tuple.append(report.reportedAt)
    tuple.append(receivedAt)
    tuple.append(report.category.rawValue)
    tuple.append(report.reporter)
    tuple.append(report.weight)
    tuple.append(report.comment)
  }
}
