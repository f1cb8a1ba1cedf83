import Curation
import Foundation
import PostgreSQL

extension BenchmarkFill {
  /// Cases whose pages have something to show.
  private static let talked = 100
  /// Reports of each of these.
  private static let reports = 200

  /// Has some of the numbers of the fill wait, for up to 40 days, and lists all others.
  func fillQueue(numbers: Int, waiting: Int, at time: Date) async throws {
    let gap = Int64(max(1, numbers / waiting))
    for first in stride(from: 0, to: Int64(numbers), by: 500_000) {
      let last = min(Int64(numbers), first + 500_000) - 1
      try await pool.runReportingCount(FillListings(first: first, last: last, gap: gap, time: time))
      try await pool.runReportingCount(FillCases(first: first, last: last, gap: gap, most: Int64(waiting), time: time))
    }
    let store = ReportStore(pool: pool)
    for place in 0..<min(Self.talked, waiting) {
      let number = 12_010_000_000 + Int64(place) * gap * 797 + Int64(place) * gap % 5
      let reports = (0..<Self.reports).map { index in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: time - Double(index) * 20_000,
          category: ReportCategory.allCases[index % 13],
          reporter: (0..<16).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0 &* place) },
          comment: "They called again and wanted to sell something, the \(index)th time.")
      }
      _ = try await store.accept(reports, receivedAt: time)
    }
  }
}

/// Lists the numbers of a part of the fill, all but those that are to wait.
struct FillListings: PostgresStatement {
  typealias Row = Void
  let first: Int64
  let last: Int64
  let gap: Int64
  let time: Date

  static let sql = """
    INSERT INTO listings (number, category_id, serial, listed_at)
    SELECT 12010000000 + i * 797 + i % 5, 1 + (i % 12)::smallint, 1, $4::timestamptz
    FROM generate_series($1::bigint, $2::bigint) i WHERE i % $3::bigint <> 0
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(first)
    parameters.append(last)
    parameters.append(gap)
    parameters.append(time)
  }
}

/// Has the others wait: all for a threshold, one in 20 held besides, one in 50 with an appeal. A sweep finds them so.
struct FillCases: PostgresStatement {
  typealias Row = Void
  let first: Int64
  let last: Int64
  let gap: Int64
  let most: Int64
  let time: Date

  static let sql = """
    WITH drawn AS (
      SELECT 12010000000 + i * 797 + i % 5 AS number, i / $3::bigint AS place, 1 + (i % 12)::smallint AS category_id,
             $5::timestamptz - make_interval(mins => ((hashint8(i)::bigint + 2147483648) % 57600)::integer) AS since
      FROM generate_series($1::bigint, $2::bigint) i WHERE i % $3::bigint = 0 AND i / $3::bigint < $4::bigint
    ), held AS (
      INSERT INTO holds (number, rule, detail, held_at)
      SELECT number, 'one_day', '12 of 13 reporters complained on one day, 1 before or after.', since
      FROM drawn WHERE place % 20 = 7
    ), appealed AS (
      INSERT INTO appeals (number, appeal_id, state, statement, filed_at)
      SELECT number, md5(number::text)::uuid, 'open', 'This is the number of my shop.', since FROM drawn WHERE place % 50 = 3
    )
    INSERT INTO queue (number, causes, urgency, country, category_id, since, version)
    SELECT number,
           (CASE WHEN place % 20 = 7 THEN 2 ELSE 1 END + CASE WHEN place % 50 = 3 THEN 4 ELSE 0 END)::smallint,
           date_part('epoch', since)::bigint, 'US', category_id::smallint, since, 0
    FROM drawn
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(first)
    parameters.append(last)
    parameters.append(gap)
    parameters.append(most)
    parameters.append(time)
  }
}
