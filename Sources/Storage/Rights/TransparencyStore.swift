// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// The figures of a period, counted when they are read.
public struct TransparencyStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) { self.pool = pool }

  /// The report of a period, from one snapshot; the precision of sources is their present one.
  /// - Parameters:
  ///   - period: from the beginning of a UTC day to the beginning of a later one.
  ///   - bits: for the noise of counts of calls; see `RemediationFigures`.
  public func report(
    of period: Range<Date>, at time: Date, bits: (String) -> [UInt8]
  ) async throws -> TransparencyReport {
    try await StatisticsStore(pool: pool).refresh(at: time, isWhole: false)
    let (since, until) = (period.lowerBound, period.upperBound)
    var pipeline = PostgresPipeline()
    let reports = pipeline.add(SQL.countReportsOfDays(since: since, until: until))
    let events = pipeline.add(SQL.countAuditEvents(since: since, until: until))
    let listings = pipeline.add(SQL.countStatements(since: since, until: until))
    let appeals = pipeline.add(SQL.countAppeals(since: since, until: until))
    let rated = pipeline.add(SQL.countRatings(since: since, until: until))
    let sources = pipeline.add(SQL.countStatedSources(since: since, until: until))
    let results = try await pool.snapshot(pipeline)
    var report = TransparencyReport(period)
    report.reports = try results.rows(reports).first ?? 0
    for event in try results.rows(events) {
      report.count(event.action, category: event.category, isByProgram: event.isByProgram, event.count)
    }
    report.listings = try results.rows(listings)
    if let found = try results.rows(appeals).first {
      (report.appeals.filed, report.appeals.objections, report.appeals.medianSeconds) = found
    }
    let decisions = try results.rows(rated)
    report.reviewed = decisions.reduce(0) { $0 + $1.count }
    (report.agreement, report.coefficient) = (decisions.agreement?.value, decisions.agreement?.coefficient.rawValue)
    let days = ComplaintDays.day(of: since)..<ComplaintDays.day(of: until)
    let counted = try await RemediationStore(pool: pool).sums(since: days.lowerBound, onlyDays: true)
    report.stopped = .init(RemediationFigures(counted, of: days, at: time, bits: bits))
    let feeds = try await SourceStore(pool: pool).list()
    let all = report.listings.reduce(0) { $0 + $1.count }
    report.sources = try results.rows(sources).map { source in
      let judged = feeds.first { $0.id == source.appID }?.quality.precision
      let decided = judged.map { Double($0.confirmed + $0.wrong) } ?? 0
      return .init(
        name: source.name, listings: source.count, share: Double(source.count) / Double(max(1, all)),
        precision: judged.flatMap { decided > 0 ? Double($0.confirmed) / decided : nil })
    }
    return report
  }
}

extension [RatedDecisions] {
  /// The agreement of authors and reviewers; nil where it is undefined.
  public var agreement: Agreement? {
    let all = Decision.Treatment.allCases
    let units = map { decision in
      let ratings = decision.ratings.map {
        Agreement.Rating(rater: $0.account, value: all.firstIndex(of: $0.treatment) ?? 0)
      }
      return Agreement.Units(ratings: ratings, count: decision.count)
    }
    return Agreement.of(counted: units, values: all.count)
  }
}

extension SQL {
  /// The reports of apps of the days of a period, without rows of lists.
  static func countReportsOfDays(since: Date, until: Date) -> Statement<Int> {
    Statement(
      """
      SELECT coalesce(sum(value), 0)::bigint FROM daily_statistics
      WHERE statistic = 'app_reports' AND day >= ($1::timestamptz AT TIME ZONE 'UTC')::date
        AND day < ($2::timestamptz AT TIME ZONE 'UTC')::date
      """,
      since, until
    ) { Int(try $0.decode(0, as: Int64.self)) }
  }

  /// Decisions, answers and rights of the audit log.
  static func countAuditEvents(
    since: Date, until: Date
  ) -> Statement<(action: String, category: String, isByProgram: Bool, count: Int)> {
    Statement(
      """
      SELECT action,
             CASE WHEN action IN ('decision.block', 'decision.identify', 'decision.allow')
               THEN coalesce(nullif(after ->> 'category', 'as_reported'), after ->> 'case_category', '') ELSE '' END,
             actor LIKE 'app:%', count(*)
      FROM audit_events
      WHERE happened_at >= $1 AND happened_at < $2 AND (action LIKE 'decision.%' OR action LIKE 'appeal.%'
        OR action LIKE 'right.%')
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      """,
      since, until
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2), Int(try $0.decode(3, as: Int64.self))) }
  }

  /// The listings that began, changed or got a later decision.
  static func countStatements(since: Date, until: Date) -> Statement<TransparencyReport.Group> {
    Statement(
      """
      SELECT category_id, treatment = 0, cause = 0 OR is_by_program, count(*) FROM statements
      WHERE stated_at >= $1 AND stated_at < $2 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      """,
      since, until
    ) { row in
      TransparencyReport.Group(
        category: try row.category(0).slug, treatment: try row.decode(1) ? .block : .identify,
        automated: try row.decode(2), count: Int(try row.decode(3, as: Int64.self)))
    }
  }

  /// The appeals that were filed, the objections among them, and the median seconds until the answers of the period.
  static func countAppeals(since: Date, until: Date) -> Statement<(filed: Int, objections: Int, median: Double?)> {
    Statement(
      """
      SELECT count(*) FILTER (WHERE filed_at >= $1), count(*) FILTER (WHERE filed_at >= $1 AND is_objection),
             percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM answered_at - filed_at)::float8)
               FILTER (WHERE answered_at >= $1 AND answered_at < $2)
      FROM appeals WHERE filed_at < $2
      """,
      since, until
    ) { (Int(try $0.decode(0, as: Int64.self)), Int(try $0.decode(1, as: Int64.self)), try $0.decode(2)) }
  }

  /// The listings of numbers that each list had, those with most first.
  static func countStatedSources(since: Date, until: Date) -> Statement<(appID: Int32, name: String, count: Int)> {
    Statement(
      """
      SELECT a.app_id, a.name, count(*) FROM statements s JOIN apps a ON a.app_id = ANY(s.sources)
      WHERE s.stated_at >= $1 AND s.stated_at < $2 GROUP BY a.app_id, a.name ORDER BY 3 DESC, 1
      """,
      since, until
    ) { (try $0.decode(0), try $0.decode(1), Int(try $0.decode(2, as: Int64.self))) }
  }
}
