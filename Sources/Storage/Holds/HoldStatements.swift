// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
import PostgreSQL

extension SQL {
  /// Adds holds for numbers without one, and changes holds that are not settled and differ; holds of numbers that were
  /// decided meanwhile are settled at once.
  static func addHolds(
    numbers: [Int64], findings: [BrigadeDetection.Finding], time: Date
  ) -> Statement<(number: Int64, isSettled: Bool, heldAt: Date)> {
    Statement(
      """
      INSERT INTO holds AS h (number, reason, held_at, settled, ceiling)
      SELECT t.number, t.reason::jsonb, $4::timestamptz,
             t.number IN (SELECT r.number FROM number_decisions r WHERE r.number = ANY($1::bigint[])), t.ceiling
      FROM unnest($1::bigint[], $2::text[], $3::text[]) AS t (number, reason, ceiling)
      ORDER BY t.number
      ON CONFLICT (number) DO UPDATE SET
        reason = excluded.reason, ceiling = excluded.ceiling
      WHERE NOT h.settled AND (h.reason, h.ceiling) IS DISTINCT FROM (excluded.reason, excluded.ceiling)
      RETURNING number, settled, held_at
      """,
      numbers, findings.map { $0.reason.json }, findings.map { $0.ceiling?.rawValue }, time
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  /// Holds numbers that are not in the plan, if nothing is stored about them yet.
  /// - Parameter numbers: ascending.
  static func holdUnassigned(numbers: [Int64], time: Date, in tables: TableNames = .schema) -> Statement<Void> {
    Statement(
      """
      INSERT INTO \(tables["holds"]) (number, reason, held_at, settled)
      SELECT t.number, $2::text::jsonb, $3::timestamptz,
             t.number IN (SELECT r.number FROM \(tables["number_decisions"]) r WHERE r.number = ANY($1::bigint[]))
      FROM unnest($1::bigint[]) AS t (number)
      WHERE t.number NOT IN (SELECT n.number FROM \(tables["numbers"]) n WHERE n.number = ANY($1::bigint[]))
      ORDER BY t.number
      ON CONFLICT (number) DO NOTHING
      """,
      numbers, HoldReason.unassigned(version: NumberingPlans.current.version.description).json, time)
  }

  /// Whether a migration has said that all programs can read holds of numbers that are not in the plan.
  static func readTakesUnassigned() -> Statement<Bool> {
    Statement("SELECT EXISTS (SELECT 1 FROM schema_migrations WHERE version = 20261129140000)")
  }

  /// Numbers that are held because the plan does not have them.
  static func readUnassigned(before: Date) -> Statement<Int64> {
    Statement(
      """
      SELECT number FROM holds
      WHERE NOT settled AND \(HoldSQL.isUnassigned) AND held_at < $1 ORDER BY number
      """,
      before)
  }

  /// Deletes holds that no decision has settled.
  static func endHolds(numbers: [Int64]) -> Statement<(number: Int64, reason: String, heldAt: Date)> {
    Statement(
      "DELETE FROM holds WHERE number = ANY($1::bigint[]) AND NOT settled RETURNING number, reason::text, held_at",
      numbers
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }

  /// Lets the reports of held numbers identify them, within the budgets of apps.
  /// - Parameter apps: The app whose budget each label needs; nil for none.
  static func labelHolds(numbers: [Int64], apps: [Int32?], time: Date) -> Statement<Void> {
    Statement(
      """
      UPDATE holds h SET labeled_at = $3, app_id = t.app_id FROM unnest($1::bigint[], $2::integer[]) AS t (number, app_id)
      WHERE h.number = t.number AND h.labeled_at IS NULL
      """,
      numbers, apps, time)
  }

  static func countLabels(since: Date) -> Statement<(appID: Int32, count: Int)> {
    Statement(
      "SELECT app_id, count(*) FROM holds WHERE labeled_at >= $1 AND app_id IS NOT NULL GROUP BY app_id", since
    ) { (try $0.decode(0), Int(try $0.decode(1, as: Int64.self))) }
  }

  static func countReportersOf(apps: [Int32], from: Date, until: Date) -> Statement<(appID: Int32, count: Int)> {
    Statement(
      """
      SELECT app_id, count(DISTINCT reporter) FROM reports
      WHERE received_at >= $2 AND received_at < $3 AND app_id = ANY($1::integer[]) AND reporter IS NOT NULL
        AND withdrawn_at IS NULL
      GROUP BY app_id
      """,
      apps, from, until
    ) { (try $0.decode(0), Int(try $0.decode(1, as: Int64.self))) }
  }

  /// The reporters of numbers whose votes arrived since a time, at most `limit` of each number.
  static func readReporters(numbers: [Int64], since: Date, limit: Int) -> Statement<Reporter> {
    Statement(
      """
      SELECT reporter FROM (
        SELECT reporter, row_number() OVER (PARTITION BY number ORDER BY reporter) AS place
        FROM number_reporters WHERE number = ANY($1::bigint[]) AND received_at >= $2
      ) t
      WHERE place <= $3::bigint
      """,
      numbers, since, Int64(limit)
    ) { Reporter(try $0.decode(0)) }
  }

  /// The votes that arrived since a time on numbers with 2 to `limit` of them.
  static func readSharedVotes(since: Date, limit: Int) -> Statement<(number: Int64, reporter: Reporter)> {
    Statement(
      """
      SELECT number, reporter FROM (
        SELECT number, reporter, count(*) OVER (PARTITION BY number) AS together
        FROM number_reporters WHERE received_at >= $1
      ) t
      WHERE together BETWEEN 2 AND $2::bigint
      """,
      since, Int64(limit)
    ) { (try $0.decode(0), Reporter(try $0.decode(1))) }
  }

  /// Stores the reporters whose reports formed a burst.
  static func addHoldReporters(members: [(number: Int64, reporter: Reporter)]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO hold_reporters (number, reporter)
      SELECT number, reporter FROM unnest($1::bigint[], $2::bytea[]) AS t (number, reporter) ORDER BY number, reporter
      ON CONFLICT (number, reporter) DO NOTHING
      """,
      members.map(\.number), members.map(\.reporter.bytes))
  }

  static func deleteHoldReporters(numbers: [Int64]) -> Statement<Void> {
    Statement("DELETE FROM hold_reporters WHERE number = ANY($1::bigint[])", numbers)
  }

  /// Stores bursts that are usual; the newest of a number replaces the others.
  static func addUsualBursts(found: [(number: Int64, burst: UsualBurst)], time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO usual_bursts (number, reason, judged_at)
      SELECT t.number, t.reason::jsonb, $3::timestamptz
      FROM unnest($1::bigint[], $2::text[]) AS t (number, reason) ORDER BY t.number
      ON CONFLICT (number) DO UPDATE SET reason = excluded.reason, judged_at = excluded.judged_at
      """,
      found.map(\.number), found.map { $0.burst.json }, time)
  }

  /// The burst of a number that was usual when it was judged.
  static func readUsualBurst(number: Int64) -> Statement<Explanation.Usual> {
    Statement(
      "SELECT reason, judged_at FROM usual_bursts WHERE number = $1",
      number
    ) { Explanation.Usual(burst: try HoldSQL.coded($0.decode(0)), judgedAt: try $0.decode(1)) }
  }

  /// All holds that no decision has settled, in ascending order of number.
  ///
  /// A hold and a decision that are made at the same moment do not see each other, so `settled` may not be set: a
  /// decision in force settles a hold as well.
  static func readHolds() -> Statement<Hold> {
    Statement(
      "SELECT \(HoldSQL.columns()) FROM holds h WHERE NOT \(HoldSQL.isSettled()) ORDER BY number",
      decode: HoldSQL.decode)
  }

  /// A number's hold, settled or not.
  static func readHold(number: Int64) -> Statement<Hold> {
    Statement("SELECT \(HoldSQL.columns(of: "$1")) FROM holds h WHERE number = $1", number, decode: HoldSQL.decode)
  }
}

enum HoldSQL {
  /// Whether a hold is no rule against brigading, but waits for a plan that has the number.
  static let isUnassigned = "reason ->> 'code' = 'unassigned'"

  /// - Parameter number: the number of `h`.
  fileprivate static func isSettled(_ number: String = "h.number") -> String {
    "(h.settled OR EXISTS (SELECT 1 FROM number_decisions r WHERE r.number = \(number)))"
  }

  fileprivate static func columns(of number: String = "h.number") -> String {
    "h.number, h.reason, h.held_at, \(isSettled(number)), h.ceiling, h.labeled_at"
  }

  fileprivate static func decode(_ row: PostgresRow) throws -> Hold {
    Hold(
      number: try row.decode(0), reason: try coded(row.decode(1)), heldAt: try row.decode(2),
      isSettled: try row.decode(3), ceiling: try row.decode(4, as: String?.self).flatMap(SourceCeiling.init),
      labeledAt: try row.decode(5))
  }

  fileprivate static func coded<Coded: CodedData>(_ json: String) throws -> Coded {
    do {
      return try Coded(json: json)
    } catch {
      throw StorageError.unknownRule(json)
    }
  }
}

/// A number that is kept back for a moderator.
public struct Hold: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// The rule that holds it, with its figures.
  public let reason: HoldReason
  public let heldAt: Date
  /// Whether a decision has settled it.
  public let isSettled: Bool
  /// The strongest treatment that its reports can trigger; nil where the number itself is held.
  public let ceiling: SourceCeiling?
  /// Since when the budget of labels lets its reports identify it; nil where they do not.
  public let labeledAt: Date?

  public var explained: Explanation.Hold {
    Explanation.Hold(reason: reason, heldAt: heldAt, ceiling: ceiling, labeledAt: labeledAt)
  }
}

extension CurationState {
  /// Adds a hold that is not settled.
  mutating func add(_ hold: Hold) {
    if let ceiling = hold.explained.reportCeiling {
      reportCeilings[hold.number] = ceiling
      independentReporters[hold.number] = hold.reason.independent
    } else {
      held.insert(hold.number)
    }
  }
}

public struct NumberVotes: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// One vote for each reporter.
  public internal(set) var votes: [ReporterVote]
}

extension SQL {
  private static let isOpen = """
    n.heat >= $1 AND n.reporters >= $2::integer
      AND NOT EXISTS (SELECT 1 FROM number_decisions r WHERE r.number = n.number)
      AND NOT EXISTS (
        SELECT 1 FROM holds h WHERE h.number = n.number AND (h.settled OR \(HoldSQL.isUnassigned)))
    """

  /// Undecided numbers in ascending order that a rule against brigading could hold.
  ///
  /// A semi-join and not a count, so that the planner may begin with the votes or with the numbers, whichever are fewer. A
  /// vote never arrived earlier than its reporter's first report, so the current vote also finds reporters who are new to a
  /// number.
  /// - Parameter heat: The least stored heat.
  /// - Parameter reporters: The least number of reporters.
  /// - Parameter since: Numbers with votes that arrived since this time are judged.
  /// - Parameter votes: The least number of votes for a number ("legitimate") in a split.
  static func readReviewable(heat: Double, reporters: Int, since: Date, votes: Int) -> Statement<Int64> {
    Statement(
      """
      SELECT number FROM (
        SELECT n.number FROM numbers n
        WHERE \(isOpen)
          AND EXISTS (SELECT 1 FROM number_reporters w WHERE w.number = n.number AND w.received_at >= $3)
          AND NOT EXISTS (SELECT 1 FROM listings l WHERE l.number = n.number AND l.cause = 0 AND l.treatment = 0)
        UNION ALL
        SELECT n.number FROM numbers n JOIN listings l ON l.number = n.number
        WHERE l.cause = 0 AND EXISTS (SELECT 1 FROM number_sources s WHERE s.number = n.number) AND \(isOpen)
        UNION ALL
        SELECT n.number FROM number_categories c JOIN numbers n ON n.number = c.number
        WHERE c.category_id = \(ReportCategory.legitimate.rawValue) AND c.reports >= $4::bigint AND \(isOpen)
      ) t
      GROUP BY number ORDER BY number
      """,
      heat, Int32(reporters), since, Int64(votes))
  }

  // By a hash of the number: the same in every copy of the database. Numbers are handed out in blocks, so their last
  // digits alone would take whole blocks, or none.
  private static let hashed = "number % 1000003 * 7919 % 1000003, number LIMIT $2::bigint"

  /// So many numbers that a publication blocked by their reports, or a moderator blocked, since a time, each with when.
  static func sampleConfirmed(since: Date, size: Int) -> Statement<(number: Int64, confirmedAt: Date)> {
    Statement(
      """
      SELECT number, min(confirmed_at) FROM (
        (SELECT number, listed_at AS confirmed_at FROM listings WHERE cause = 0 AND treatment = 0 AND listed_at >= $1
         ORDER BY \(hashed))
        UNION ALL
        (SELECT number, decided_at FROM number_decisions WHERE decision = 'block' AND decided_at >= $1 ORDER BY \(hashed))
      ) t
      GROUP BY number ORDER BY \(hashed)
      """,
      since, Int64(size)
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// The votes on numbers, in ascending order of number; of each number the 5,000 votes whose reporters reported it last
  /// for the first time.
  ///
  /// A limit on reports instead would let one account that sends 5,000 reports hide all others.
  ///
  /// The time of arrival counts, not the time in the report, which its sender chooses; only imported files, which arrive
  /// all at once, are counted by the time in the report. A phone without weight, because it was caught or its level is
  /// ignored, counts like an account.
  static func readVotes(numbers: [Int64], windowStart: Date) -> Statement<ArrivedVote> {
    Statement(
      """
      SELECT v.number, v.reporter, v.toxic, v.from_list OR coalesce(s.is_established, false), v.first_received_at, v.network,
             v.comment, v.app_id, v.from_list OR coalesce(s.established_at <= v.first_received_at - $3::interval, false),
             d.reporter IS NOT NULL AND v.counts
      FROM (
        SELECT *, row_number() OVER (PARTITION BY number ORDER BY first_received_at DESC, reporter) AS place
        FROM (
          SELECT r.number, r.reporter, min(CASE WHEN a.is_list THEN r.reported_at
                                               ELSE r.received_at END) AS first_received_at,
                 bool_or(coalesce(a.is_list, false)) AS from_list, bool_or(r.weight > 0) AS counts,
                 (array_agg(r.app_id ORDER BY r.received_at))[1] AS app_id,
                 (array_agg(c.toxic ORDER BY r.reported_at DESC, r.received_at DESC))[1] AS toxic,
                 (array_agg(r.network ORDER BY r.received_at) FILTER (WHERE r.network IS NOT NULL))[1] AS network,
                 (array_agg(r.comment ORDER BY r.received_at)
                   FILTER (WHERE r.comment IS NOT NULL AND r.received_at >= $2))[1] AS comment
          FROM reports r JOIN categories c ON c.category_id = r.category_id LEFT JOIN apps a ON a.app_id = r.app_id
          WHERE r.number = ANY($1::bigint[]) AND r.reporter IS NOT NULL AND r.withdrawn_at IS NULL
          GROUP BY r.number, r.reporter
        ) counted
      ) v
      LEFT JOIN reporters s ON s.reporter = v.reporter
      LEFT JOIN attested_reporters d ON d.reporter = v.reporter AND d.level = \(AttestationLevel.hardware.rawValue)
      WHERE v.place <= 5000 ORDER BY v.number
      """,
      numbers, windowStart, "\(Int(BrigadeDetection.longEstablishedTime)) s"
    ) { row in
      let network: [UInt8]? = try row.decode(5)
      let comment: String? = try row.decode(6)
      return ArrivedVote(
        number: try row.decode(0), reporter: Reporter(try row.decode(1)), isToxic: try row.decode(2),
        isEstablished: try row.decode(3), firstReceivedAt: try row.decode(4),
        network: network.map { $0.reduce(0) { $0 << 8 | UInt64($1) } }, text: CommentKey.key(of: comment),
        appID: try row.decode(7), isLongEstablished: try row.decode(8), isAttested: try row.decode(9))
    }
  }
}

struct ArrivedVote: Sendable {
  let number: Int64
  let reporter: Reporter
  let isToxic: Bool
  let isEstablished: Bool
  let firstReceivedAt: Date
  let network: UInt64?
  let text: UInt64?
  let appID: Int32
  let isLongEstablished: Bool
  let isAttested: Bool

  func vote(at time: Date) -> ReporterVote {
    ReporterVote(
      reporter: reporter, isToxic: isToxic, isNew: !isEstablished,
      age: ComplaintDays.day(of: time) - ComplaintDays.day(of: firstReceivedAt), network: network, text: text,
      appID: appID, isLongEstablished: isLongEstablished, isAttested: isAttested)
  }
}
