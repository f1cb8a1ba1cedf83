// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage

/// Scripts for pgbench: the work of PostgreSQL without the server.
///
/// Both choose the number with the distribution of ``BenchmarkNumbers``. The command line of pgbench sets `:started`.
enum PgbenchScripts {
  /// The statement that stores reports, with one report, in a transaction.
  static var oneReport: String {
    "\(variables)\(oneReportStatement);\n"
  }

  /// An insert of one row in a transaction: the columns of a report, into a table without keys and indexes.
  static let bareInsert = """
    \(variables)INSERT INTO benchmark_bare
      (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment)
    VALUES (:number, 1, gen_random_uuid(), to_timestamp(:time), to_timestamp(:started), :category,
      \(reporter), 1, NULL);

    """

  /// Fails unless the search path leads to the scratch schema, so that no benchmark writes into the real tables.
  static let schemaCheck = "SELECT marker FROM benchmark_marker;\n"

  private static let variables = """
    \\set rank int(\(BenchmarkNumbers.shift) * pow(\(BenchmarkNumbers.span), random(0, 999999999) / 1000000000.0)) \
    - \(BenchmarkNumbers.shift)
    \\set number \(BenchmarkNumbers.firstNumber) \
    + (:rank * \(BenchmarkNumbers.stride)) % \(BenchmarkNumbers.count) * \(BenchmarkNumbers.gap)
    \\set reporter random(0, \(BenchmarkNumbers.reporters - 1))
    \\set category random(1, \(ReportCategory.allCases.count))
    \\set time :started + random(0, 59)

    """

  private static let reporter = "decode(lpad(to_hex(:reporter::bigint), 32, '0'), 'hex')"

  private static let network = "decode('0102030405060708', 'hex')"

  /// The value of each placeholder of `ReportStore.insertSQL`, in their order.
  private static let values = [
    "ARRAY[:number]", "ARRAY[1]", "ARRAY[gen_random_uuid()]", "ARRAY[to_timestamp(:time)]", "ARRAY[:category]",
    "ARRAY[\(reporter)]", "ARRAY[1]", "ARRAY[NULL]", "ARRAY[\(network)]",
    "to_timestamp(:started)", "to_timestamp(\(Int(Decay.origin.timeIntervalSince1970)))",
    "\(Decay.heat.timeConstant)", "\(Decay.evidence.timeConstant)",
    "to_timestamp(:time::float8 - \(ReportStore.idWindow))",
    "to_timestamp(:time::float8 + \(ReportStore.idWindow))", "\(ReporterWeight.newcomer)", "ARRAY[1]", "ARRAY[NULL]",
    "NULL",
  ]

  private static var oneReportStatement: String {
    // In descending order, so that $1 is not found in $10.
    values.indices.reversed().reduce(ReportStore.insertSQL) { sql, index in
      sql.replacing("$\(index + 1)", with: values[index])
    }
  }
}
