import Curation
public import Foundation
public import PostgreSQL

/// Numbers with standing and no reports, to measure publications with.
public struct BenchmarkFill: Sendable {
  let pool: PostgresPool

  /// Numbers of one statement.
  private static let step: Int64 = 500_000

  /// - Parameter pool: of a database that is not in use.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Adds numbers in the United States, a little hotter than any threshold asks for up to a thousand times as hot.
  /// - Parameter waiting: how many wait for a moderator, for some of them with holds, appeals and comments; all others are
  ///   listed. With 0 none waits and none is listed.
  /// - Returns: false, and nothing was done, when there are numbers already.
  public func fill(numbers: Int, identified: Int, waiting: Int = 0, at time: Date) async throws -> Bool {
    guard try await pool.run(HasNumbers())[0] == false else { return false }
    for first in stride(from: 0, to: Int64(numbers), by: Int64.Stride(Self.step)) {
      let statement = FillNumbers(
        first: first, last: min(Int64(numbers), first + Self.step) - 1, identified: Int32(identified), time: time)
      try await pool.runReportingCount(statement)
    }
    if waiting > 0 { try await fillQueue(numbers: numbers, waiting: waiting, at: time) }
    try await pool.withConnection { try await $0.execute(script: "ANALYZE") }
    return true
  }
}

/// Whether any number was complained about.
struct HasNumbers: PostgresStatement {
  static let sql = "SELECT EXISTS (SELECT 1 FROM numbers)"

  static func decode(_ row: PostgresRow) throws -> Bool { try row.decode(0) }
}

/// Numbers first to last of the fill, with one category each; their figures are drawn by hashing, so that they are the same
/// in every fill.
struct FillNumbers: PostgresStatement {
  typealias Row = Void
  let first: Int64
  let last: Int64
  let identified: Int32
  let time: Date

  static let sql = """
    WITH drawn AS (
      SELECT 12010000000 + i * 797 + i % 5 AS number, (hashint8(i)::bigint + 2147483648) / 4294967296.0::float8 AS chance,
             1 + (i % 12)::smallint AS category_id, (hashint8(i + 7)::bigint + 2147483648) % 100 AS lot
      FROM generate_series($1::bigint, $2::bigint) i
    ), known AS (
      SELECT number, category_id::smallint, lot, 6 * power(1000, chance) AS heat FROM drawn
    ), filled AS (
      INSERT INTO numbers (number, heat, evidence, legitimate, reports, reporters, first_reported_at, last_reported_at,
                           day_bits, last_day, network_bits)
      SELECT number, heat * $3::float8, heat * $4::float8, 0, ceil(heat), ceil(heat), $5::timestamptz, $5::timestamptz,
             1023, ($5::timestamptz AT TIME ZONE 'UTC')::date, 4095
      FROM known
    ), named AS (
      INSERT INTO number_identifications (number, heat, named, unknown, last_day)
      SELECT number, heat * 20 * $3::float8, ceil(heat), 0, ($5::timestamptz AT TIME ZONE 'UTC')::date
      FROM known WHERE lot < $6::integer
    )
    INSERT INTO number_categories (number, category_id, heat, evidence, reports, reporters)
    SELECT number, category_id, heat * $3::float8, heat * $4::float8, ceil(heat), ceil(heat) FROM known
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(first)
    parameters.append(last)
    parameters.append(Decay.heat.scale(at: time))
    parameters.append(Decay.evidence.scale(at: time))
    parameters.append(time)
    parameters.append(identified)
  }
}
