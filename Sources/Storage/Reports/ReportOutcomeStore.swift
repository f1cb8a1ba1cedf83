// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PostgreSQL

/// The newest publication's answer about a number that somebody has reported.
public struct PublishedOutcome: Sendable, Equatable {
  public enum Outcome: String, Sendable {
    /// Reports or rules list it.
    case listed
    case notListed = "not_listed"
    /// A moderator has decided about it.
    case decided
  }

  public let number: Int64
  /// The time of the reporter's newest report.
  public let reportedAt: Date
  public let outcome: Outcome
  /// `block` or `identify` for a listed number; nil for one that is not listed.
  public let treatment: String?
}

/// Outcomes of a reporter's own reports, never sooner than the publication that everybody sees.
public struct ReportOutcomeStore: Sendable {
  private let pool: PostgresPool

  init(pool: PostgresPool) { self.pool = pool }

  /// The outcomes of the numbers that one of the pseudonyms has reported, in ascending order; the other numbers are left out.
  /// - Parameter since: leaves out what the publication with this serial said already; nil for all.
  /// - Returns: the newest publication, 0 before the first, and the outcomes.
  public func outcomes(
    of numbers: [Int64], by reporters: [[UInt8]], since: Int64? = nil
  ) async throws -> (serial: Int64, [PublishedOutcome]) {
    let times = try await pool.run(SQL.readPublicationTimes(since: since ?? 0))
    guard let newest = times.first(where: { $0.isNewest }) else { return (0, []) }
    if let since, since >= newest.serial { return (newest.serial, []) }
    let rows = try await pool.run(SQL.readReported(numbers: numbers, reporters: reporters, asOf: newest.asOf))
    // Numbers that only a rule for a range lists.
    let found = try await pool.run(SQL.readListedRanges(around: rows.filter { $0.listed == nil }.map(\.number)))
    // Protected, appealed and decided numbers are not listed with their range.
    let others = try await CallerStore(pool: pool).disputed(in: Set(found.map(\.number)).sorted().map { $0...$0 })
    let ranges = Dictionary(
      found.filter { row in !others.contains { $0.contains(row.number) } }.map { ($0.number, $0.listed) }
    ) { first, _ in first }
    let earlier = times.first { !$0.isNewest }
    let outcomes = rows.compactMap { row -> PublishedOutcome? in
      let listed = row.listed ?? ranges[row.number]
      let isNew =
        since == nil || listed.map { $0.serial > since ?? 0 } ?? false
        || [row.decidedAt, row.receivedAt].contains { time in time.map { $0 > earlier?.asOf ?? .distantPast } ?? false }
      guard isNew else { return nil }
      return PublishedOutcome(
        number: row.number, reportedAt: row.reportedAt,
        outcome: row.decidedAt != nil ? .decided : listed != nil ? .listed : .notListed,
        treatment: listed.map { $0.blocks ? "block" : "identify" })
    }
    return (newest.serial, outcomes)
  }
}

struct ReportedNumber {
  let number: Int64
  let reportedAt: Date
  let listed: (serial: Int64, blocks: Bool)?
  let decidedAt: Date?
  let receivedAt: Date?
}

extension SQL {
  /// The published range of each number that is in one.
  static func readListedRanges(around numbers: [Int64]) -> Statement<
    (number: Int64, listed: (serial: Int64, blocks: Bool))
  > {
    Statement(
      """
      SELECT n.number, r.serial, r.treatment = 0 FROM unnest($1::bigint[]) AS n (number)
      JOIN listed_ranges r ON n.number BETWEEN r.first_number AND r.last_number
      """,
      numbers
    ) { (try $0.decode(0), (serial: try $0.decode(1), blocks: try $0.decode(2))) }
  }

  /// The newest publication, and the publication with a serial.
  static func readPublicationTimes(since: Int64) -> Statement<(serial: Int64, asOf: Date, isNewest: Bool)> {
    Statement(
      """
      SELECT serial, as_of, serial = newest FROM publications
      CROSS JOIN (SELECT max(serial) AS newest FROM publications WHERE state = 'published') n
      WHERE state = 'published' AND (serial = newest OR serial = $1)
      """,
      since
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  /// The newest report of each number by one of the reporters, with the number's listing and its newest decision at the
  /// time of the publication: an undoing since then tells nothing yet.
  static func readReported(numbers: [Int64], reporters: [[UInt8]], asOf: Date) -> Statement<ReportedNumber> {
    Statement(
      """
      SELECT r.number, max(r.reported_at), max(l.serial), bool_or(l.treatment = 0),
             max(d.decided_at) FILTER (WHERE u.number IS NULL), max(r.received_at)
      FROM number_reporters r
      LEFT JOIN listings l ON l.number = r.number
      LEFT JOIN decisions d ON d.number = r.number AND d.decision <> 'undo' AND d.decided_at <= $3
        AND (d.expires_at IS NULL OR d.expires_at > $3)
      LEFT JOIN decisions u ON u.number = d.number AND u.undoes = d.decision_id AND u.decided_at <= $3
      WHERE r.number = ANY($1::bigint[]) AND r.reporter = ANY($2::bytea[])
      GROUP BY r.number ORDER BY r.number
      """,
      numbers, reporters, asOf
    ) { row in
      let serial: Int64? = try row.decode(2)
      let blocks: Bool? = try row.decode(3)
      return ReportedNumber(
        number: try row.decode(0), reportedAt: try row.decode(1),
        listed: serial.map { (serial: $0, blocks: blocks ?? false) }, decidedAt: try row.decode(4),
        receivedAt: try row.decode(5))
    }
  }
}
