// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PostgreSQL

extension ReportStore {
  /// Withdraws a reporter's report: subtracts it from the aggregates, and makes the reporter's newest remaining report on the
  /// number the vote again. One transaction for each number with this id, usually one; safe to call again.
  ///
  /// New reports of the same reporter may arrive at the same time: both transactions lock the row of the vote, and the
  /// second sees the changes of the first. Rows are locked in the order of a batch: report, vote, categories, number.
  /// - Parameter time: stored with the report; a repeated call recognizes its own work by it.
  /// - Throws: `PostgresError`.
  public func withdraw(reportID: UUID, appID: Int32, at time: Date) async throws -> WithdrawalOutcome {
    let reports = try await pool.retrying {
      try await $0.run(
        """
        SELECT number, reported_at, withdrawn_at FROM reports
        WHERE app_id = $1 AND report_id = $2 AND reporter IS NOT NULL ORDER BY number, reported_at
        """,
        appID, reportID
      ) { row in
        StoredReport(number: try row.decode(0), reportedAt: try row.decode(1), withdrawnAt: try row.decode(2))
      }
    }
    var outcome: WithdrawalOutcome = reports.isEmpty ? .notFound : .alreadyWithdrawn
    for report in reports {
      let isNew = try await nodes.transaction(about: report.number) { connection in
        try await connection.withdraw(report, reportID: reportID, appID: appID, at: time)
      }
      // At this time: this call itself, whose commit was not acknowledged.
      let isOwn = report.withdrawnAt.map { abs($0.timeIntervalSince(time)) < 0.000_001 } ?? false
      if isNew || isOwn { outcome = .withdrawn }
    }
    return outcome
  }
}

extension PostgresConnection {
  /// Withdraws one report within a transaction.
  /// - Returns: false when it was withdrawn before.
  @discardableResult
  func withdraw(_ report: StoredReport, reportID: UUID, appID: Int32, at time: Date) async throws -> Bool {
    let mark = SQL.markWithdrawn(report: report, appID: appID, reportID: reportID, time: time)
    guard let (word, reporter, network) = try await run(mark).first else { return false }
    let parts = try await change(word, of: reporter, about: report.number)
    _ = try await run(SQL.changeAggregates(number: report.number, parts: parts))
    guard word.category.isToxic, word.weight > 0 else { return true }
    // Only now: the number's row is locked, and a batch that has it next adds its days and networks to what is counted here.
    _ = try await run(SQL.recountMarks(number: report.number, network: network))
    return true
  }

  /// The changes by the withdrawal of a report; stores the reporter's next vote.
  private func change(_ word: Word, of reporter: [UInt8], about number: Int64) async throws -> [AggregateChange] {
    let present = try await run(SQL.lockVote(number: number, reporter: reporter)).first
    guard present == word else { return [.init(word: word, weight: 0, reports: -1, reporters: 0)] }
    var parts = [AggregateChange(word: word, weight: -1, reports: -1, reporters: word.weight > 0 ? -1 : 0)]
    if let next = try await run(SQL.replaceVote(number: number, reporter: reporter)).first {
      parts.append(.init(word: next, weight: 1, reports: 0, reporters: next.weight > 0 ? 1 : 0))
    }
    return parts
  }
}

/// The columns of a report that a withdrawal needs.
struct StoredReport: Sendable {
  let number: Int64
  let reportedAt: Date
  let withdrawnAt: Date?
}

extension SQL {
  /// Marks a report as withdrawn and returns its content; no row when it was withdrawn before.
  static func markWithdrawn(
    report: StoredReport, appID: Int32, reportID: UUID, time: Date
  ) -> Statement<(word: Word, reporter: [UInt8], network: [UInt8]?)> {
    Statement(
      """
      UPDATE reports SET withdrawn_at = $5
      WHERE number = $1 AND app_id = $2 AND report_id = $3 AND reported_at = $4 AND withdrawn_at IS NULL
      RETURNING category_id, reported_at, received_at, weight, reporter, network
      """,
      report.number, appID, reportID, report.reportedAt, time
    ) { (try $0.word(), try $0.decode(4), try $0.decode(5)) }
  }

  /// Locks a reporter's vote on a number until the transaction ends, and reads its present state.
  ///
  /// Every batch with a report of this reporter locks the same row until it commits, so the statement after this one sees
  /// all its reports.
  static func lockVote(number: Int64, reporter: [UInt8]) -> Statement<Word> {
    Statement(
      """
      UPDATE number_reporters SET weight = weight WHERE number = $1 AND reporter = $2
      RETURNING category_id, reported_at, received_at, weight
      """,
      number, reporter
    ) { try $0.word() }
  }

  /// Makes a reporter's newest remaining report the vote, or deletes the vote; returns the new vote. Reads all reports of
  /// the number: there is no index by reporter, and withdrawals are rare.
  static func replaceVote(number: Int64, reporter: [UInt8]) -> Statement<Word> {
    Statement(
      """
      WITH left_over AS (
        SELECT category_id, reported_at, received_at, weight FROM reports
        WHERE number = $1 AND reporter = $2 AND withdrawn_at IS NULL
        ORDER BY \(ReportSQL.newestFirst) LIMIT 1
      ), replaced AS (
        UPDATE number_reporters r
        SET category_id = l.category_id, reported_at = l.reported_at, received_at = l.received_at, weight = l.weight
        FROM left_over l WHERE r.number = $1 AND r.reporter = $2
      ), removed AS (
        DELETE FROM number_reporters
        WHERE number = $1 AND reporter = $2 AND NOT EXISTS (SELECT 1 FROM left_over)
      )
      SELECT category_id, reported_at, received_at, weight FROM left_over
      """,
      number, reporter
    ) { try $0.word() }
  }

  /// Counts a number's days and networks again from all its reports; its row must be locked.
  ///
  /// Bits of networks that are deleted cannot be counted again. They stay as long as there are no more of them than reports
  /// that may have set them. Otherwise the bit of the withdrawn report's network is cleared, or, where that network is deleted
  /// too, any bit of a deleted one: only the count is used.
  /// - Parameter network: Of the report that is withdrawn; nil where it is not known.
  static func recountMarks(number: Int64, network: [UInt8]?) -> Statement<Void> {
    let kept = "n.network_bits | m.network_bits"
    let without = "(n.network_bits & ~$2::bigint) | m.network_bits"
    let deleted = "(n.network_bits & ~m.network_bits)"
    // Clears the lowest bit; the least number has no predecessor.
    let fewer = """
      CASE \(deleted) WHEN '-9223372036854775808'::bigint THEN 0 ELSE \(deleted) & (\(deleted) - 1) END | m.network_bits
      """
    func areTooMany(_ bits: String) -> String {
      ReportSQL.areTooManyNetworks(bits, known: "m.network_bits", unknown: "m.unknown")
    }
    var sketch = NetworkSketch()
    sketch.insert(network ?? [])
    return Statement(
      """
      WITH report AS (
        SELECT number, app_id, category_id, reported_at, received_at, weight, network, reporter
        FROM reports WHERE number = $1 AND withdrawn_at IS NULL
      ), said AS (
        \(ReportSQL.withDays("report"))
      ), mark (last_day, day_bits, network_bits, unknown) AS (
        SELECT \(ReportSQL.marks), CASE WHEN counts AND \(ReportSQL.hadNetwork) THEN 1 ELSE 0 END FROM said
      )
      UPDATE numbers n SET last_day = m.last_day, day_bits = m.day_bits, network_bits =
        CASE WHEN NOT \(RetentionSQL.isWhole("$1")) OR NOT \(areTooMany(kept)) THEN \(kept)
             WHEN NOT \(areTooMany(without)) THEN \(without)
             ELSE \(fewer) END
      FROM (SELECT \(ReportSQL.gatheredMarks), coalesce(sum(unknown), 0) AS unknown FROM mark) m WHERE n.number = $1
      """,
      number, Int64(bitPattern: sketch.bits))
  }
}

/// A report's content as a vote, in the order that decides between two of one reporter.
struct Word: Sendable, Equatable {
  let category: ReportCategory
  let reportedAt: Date
  let receivedAt: Date
  let weight: Float
}

extension PostgresRow {
  /// A vote from the columns category_id, reported_at, received_at, weight.
  func word() throws -> Word {
    Word(category: try category(0), reportedAt: try decode(1), receivedAt: try decode(2), weight: try decode(3))
  }
}

/// A part of the change.
struct AggregateChange: Sendable {
  let word: Word
  /// Factor of the vote's weight: 1, 0 or −1.
  let weight: Int32
  let reports: Int32
  let reporters: Int32
}

extension SQL {
  /// Adds to or subtracts from the aggregates of one number.
  ///
  /// Where no report is left in a category its sums become exactly 0, without rounding errors. The times of the first and
  /// last report are kept: they cover all reports so far.
  static func changeAggregates(number: Int64, parts: [AggregateChange]) -> Statement<Void> {
    Statement(
      """
      WITH change AS (
        SELECT * FROM unnest($2::smallint[], $3::timestamptz[], $4::real[], $5::integer[], $6::integer[])
          AS t (category_id, reported_at, weight, reports, reporters)
      ), delta AS (
        SELECT category_id, toxic, \(ReportSQL.storedSums(origin: "$7", heat: "$8", evidence: "$9"))
        FROM change JOIN categories USING (category_id)
        GROUP BY category_id, toxic ORDER BY category_id
      ), by_category AS (
        UPDATE number_categories c SET
          heat = CASE WHEN c.reports + m.reports = 0 THEN 0 ELSE greatest(0, c.heat + m.heat) END,
          evidence = CASE WHEN c.reports + m.reports = 0 THEN 0 ELSE greatest(0, c.evidence + m.evidence) END,
          reports = c.reports + m.reports, reporters = c.reporters + m.reporters
        FROM delta m WHERE c.number = $1 AND c.category_id = m.category_id
      ), total (heat, evidence, legitimate, reports, reporters) AS (SELECT \(ReportSQL.sums) FROM delta)
      UPDATE numbers n SET
        heat = CASE WHEN n.reports + t.reports = 0 THEN 0 ELSE greatest(0, n.heat + t.heat) END,
        evidence = CASE WHEN n.reports + t.reports = 0 THEN 0 ELSE greatest(0, n.evidence + t.evidence) END,
        legitimate = CASE WHEN n.reports + t.reports = 0 THEN 0 ELSE greatest(0, n.legitimate + t.legitimate) END,
        reports = n.reports + t.reports, reporters = n.reporters + t.reporters
      FROM total t WHERE n.number = $1
      """,
      number, parts.map(\.word.category.rawValue), parts.map(\.word.reportedAt),
      parts.map { $0.word.weight * Float($0.weight) }, parts.map(\.reports), parts.map(\.reporters), Decay.origin,
      Decay.heat.timeConstant, Decay.evidence.timeConstant)
  }
}
