import Curation
import Foundation

/// Scripts for pgbench: what PostgreSQL does by itself, to hold the server against.
///
/// Both draw the number, the reporter and the category as ``BenchmarkDraw`` does. pgbench sets `:started`.
public enum BenchmarkSQL {
  /// The statement that takes reports, with one report, a transaction.
  public static var oneReport: String {
    "\(draw)\(oneReportStatement);\n"
  }

  /// A bare single-row insert a transaction: the columns of a report into a table without keys and indexes.
  public static let bareInsert = """
    \(draw)INSERT INTO bench_bare
      (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight, comment)
    VALUES (:number, 1, gen_random_uuid(), to_timestamp(:time), to_timestamp(:started), :category,
      \(reporter), 1, NULL);

    """

  /// Fails unless the search path leads to the scratch schema, so that no benchmark writes into the real tables.
  public static let schemaCheck = "SELECT marker FROM bench_marker;\n"

  private static let draw = """
    \\set rank int(\(BenchmarkDraw.shift) * pow(\(BenchmarkDraw.span), random(0, 999999999) / 1000000000.0)) \
    - \(BenchmarkDraw.shift)
    \\set number \(BenchmarkDraw.firstNumber) \
    + (:rank * \(BenchmarkDraw.stride)) % \(BenchmarkDraw.numbers) * \(BenchmarkDraw.gap)
    \\set reporter random(0, \(BenchmarkDraw.reporters - 1))
    \\set category random(1, \(ReportCategory.allCases.count))
    \\set time :started + random(0, 59)

    """

  private static let reporter = "decode(lpad(to_hex(:reporter::bigint), 32, '0'), 'hex')"

  private static let network = "decode('0102030405060708', 'hex')"

  /// What stands for each placeholder of ``AcceptReports``, in their order.
  private static let values = [
    "ARRAY[:number]", "ARRAY[1]", "ARRAY[gen_random_uuid()]", "ARRAY[to_timestamp(:time)]", "ARRAY[:category]",
    "ARRAY[\(reporter)]", "ARRAY[1]", "ARRAY[NULL]", "ARRAY[\(network)]",
    "to_timestamp(:started)", "to_timestamp(\(Int(Decay.origin.timeIntervalSince1970)))",
    "\(Decay.heat.timeConstant)", "\(Decay.evidence.timeConstant)",
    "to_timestamp(:time::float8 - \(AcceptReports.idWindow))",
    "to_timestamp(:time::float8 + \(AcceptReports.idWindow))", "\(ReporterWeight.newcomer)", "ARRAY[1]",
  ]

  private static var oneReportStatement: String {
    // From the last, so that $1 is not found in $10.
    values.indices.reversed().reduce(AcceptReports.sql) { sql, index in
      sql.replacing("$\(index + 1)", with: values[index])
    }
  }
}
