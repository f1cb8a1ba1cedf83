// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
import PhoneNumbers
package import PostgreSQL

enum QueueSQL {
  static let columns = """
    q.number, q.causes, q.urgency, q.country, q.category_id, q.since, q.level, q.claim_id, q.claimed_by, q.claimed_until,
    q.version, q.claimed_at, q.assigned_to
    """

  static func decode(_ row: PostgresRow) throws -> QueueCase {
    var claim: QueueCase.Claim?
    if let id: UUID = try row.decode(7) {
      claim = QueueCase.Claim(id: id, account: try row.decode(8), until: try row.decode(9), since: try row.decode(11))
    }
    let country: String = try row.decode(3)
    return QueueCase(
      number: try row.decode(0), causes: QueueCauses(rawValue: try row.decode(1)), urgency: try row.decode(2),
      country: country.isEmpty ? nil : country, category: try row.optionalCategory(4), since: try row.decode(5),
      level: try row.decode(6), claim: claim, version: try row.decode(10), assignedTo: try row.decode(12))
  }

  /// The condition of a filter on `q`; its parameters are country, category, causes, latest arrival, level and the account
  /// that the cases are assigned to, from `first` on.
  static func filter(from first: Int) -> String {
    """
    ($\(first)::text IS NULL OR q.country = $\(first)) AND ($\(first + 1)::smallint IS NULL OR q.category_id = $\(first + 1))
      AND ($\(first + 2)::smallint IS NULL OR q.causes & $\(first + 2) <> 0)
      AND ($\(first + 3)::timestamptz IS NULL OR q.since <= $\(first + 3)) AND q.level <= $\(first + 4)::smallint
      AND ($\(first + 5)::text IS NULL OR q.assigned_to = $\(first + 5) OR (q.assigned_to IS NULL AND EXISTS (
        SELECT 1 FROM assignment_rules a
        WHERE $\(first + 5) = ANY(a.accounts) AND (a.country IS NULL OR a.country = q.country)
          AND (a.category_id IS NULL OR a.category_id = q.category_id))))
    """
  }

  /// The parameters of ``filter(from:)``.
  struct Filter: PostgresBindable {
    let filter: QueueFilter
    let level: Int16
    let account: String
    let time: Date

    func bind(into parameters: inout PostgresParameters) {
      parameters.append(filter.country)
      parameters.append(filter.category?.rawValue)
      parameters.append(filter.cause?.bit)
      parameters.append(filter.days.map { time.addingTimeInterval(-Double($0) * 86_400) })
      parameters.append(level)
      parameters.append(filter.isMine ? account : nil)
    }
  }
}

extension SQL {
  /// The most urgent cases without a claim that this account has not passed on, and that were not escalated to another
  /// account by name.
  /// - Parameter skipped: These numbers are left out.
  package static func findOpenCases(
    skipped: [Int64], worker: Actor, filter: QueueFilter, time: Date, limit: Int
  ) -> Statement<Int64> {
    Statement(
      """
      SELECT q.number FROM queue q
      WHERE (q.claimed_by IS NULL OR q.claimed_until <= $1::timestamptz OR \(GatingTime.claim.isWrong(at: "$1", row: "q.")))
        AND (q.assigned_to = $2 OR (q.assigned_to IS NULL AND NOT EXISTS (
          SELECT 1 FROM queue_passes p WHERE p.number = q.number AND p.account = $2)))
        AND q.number <> ALL($4::bigint[]) AND \(QueueSQL.filter(from: 5))
      ORDER BY q.urgency, q.number LIMIT $3::bigint
      """,
      time, worker.name, Int64(limit), skipped,
      QueueSQL.Filter(filter: filter, level: worker.level, account: worker.name, time: time))
  }

  /// Claims a case that is free or already the account's. Of two simultaneous claims one succeeds: the second waits for
  /// the row and then fails the condition.
  /// - Parameter takesOver: Whether an existing claim of another account is replaced.
  package static func claimCase(
    number: Int64, worker: Actor, id: UUID, time: Date, until: Date, takesOver: Bool
  ) -> Statement<QueueCase> {
    Statement(
      """
      UPDATE queue q SET claim_id = $4, claimed_by = $2, claimed_until = $5,
        claimed_at = CASE WHEN claimed_by = $2 AND claimed_until > $6::timestamptz THEN claimed_at ELSE $6 END
      WHERE number = $1 AND level <= $3::smallint
        AND ($7 OR claimed_by IS NULL OR claimed_by = $2 OR claimed_until <= $6::timestamptz
          OR \(GatingTime.claim.isWrong(at: "$6")))
      RETURNING \(QueueSQL.columns)
      """,
      number, worker.name, worker.level, id, until, time, takesOver, decode: QueueSQL.decode)
  }

  /// Renews a claim; returns a row while it is the account's. The time of a claim that had expired starts anew.
  package static func renewClaim(number: Int64, account: String, until: Date, time: Date) -> Statement<Int64> {
    Statement(
      """
      UPDATE queue SET claimed_until = $3,
        claimed_at = CASE WHEN claimed_until > $4::timestamptz THEN claimed_at ELSE $4::timestamptz END
      WHERE number = $1 AND claimed_by = $2 RETURNING number
      """,
      number, account, until, time)
  }

  /// Releases the claim of one opening, so that a late request of a closed page does not end a newer claim.
  package static func releaseClaim(number: Int64, account: String, id: UUID) -> Statement<Void> {
    Statement(
      """
      UPDATE queue SET claim_id = NULL, claimed_by = NULL, claimed_until = NULL
      WHERE number = $1 AND claimed_by = $2 AND claim_id = $3
      """,
      number, account, id)
  }

  package static func readCase(number: Int64) -> Statement<QueueCase> {
    Statement("SELECT \(QueueSQL.columns) FROM queue q WHERE number = $1", number, decode: QueueSQL.decode)
  }

  /// Removes a case from the queue, and deletes who passed it on and what was proposed.
  package static func settleCase(number: Int64) -> Statement<Void> {
    Statement(
      """
      WITH settled AS (DELETE FROM queue WHERE number = $1),
        ended AS (DELETE FROM case_proposals WHERE number = $1)
      DELETE FROM queue_passes WHERE number = $1
      """,
      number)
  }

  /// Stores that an account passed a case on, with the time of its first skip, and returns how many accounts have.
  package static func passCase(number: Int64, account: String, time: Date) -> Statement<Int> {
    Statement(
      """
      WITH passed AS (
        INSERT INTO queue_passes (number, account, passed_at) VALUES ($1, $2, $3)
        ON CONFLICT (number, account) DO NOTHING
      )
      SELECT count(*) + 1 FROM queue_passes WHERE number = $1 AND account <> $2
      """,
      number, account, time
    ) { Int(try $0.decode(0, as: Int64.self)) }
  }

  /// Raises a case to a level, ends the account's claim on it and marks it stale; returns its level and assignment, where
  /// it exists.
  /// - Parameter colleague: the account that is offered the case from then on; nil for all of the level, unless it is
  ///   another account's already and its level stays.
  package static func raiseCase(
    number: Int64, account: String, level: Int16, colleague: String?
  ) -> Statement<(level: Int16, assignedTo: String?)> {
    Statement(
      """
      UPDATE queue SET level = greatest(level, $3::smallint), stale = true, version = version + 1,
        assigned_to = CASE WHEN $4::text IS NOT NULL THEN $4
          WHEN assigned_to = $2 OR level < $3::smallint THEN NULL ELSE assigned_to END,
        claim_id = CASE WHEN claimed_by = $2 THEN NULL ELSE claim_id END,
        claimed_by = CASE WHEN claimed_by = $2 THEN NULL ELSE claimed_by END,
        claimed_until = CASE WHEN claimed_by = $2 THEN NULL ELSE claimed_until END
      WHERE number = $1 RETURNING level, assigned_to
      """,
      number, account, level, colleague
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// Keeps the input of the form that passed a case on, until the next one or the end of the case.
  package static func keepDraft(number: Int64, draft: [String: String]) -> Statement<Void> {
    Statement(
      "UPDATE queue SET draft = coalesce($2::text::jsonb, draft) WHERE number = $1", number,
      AuditFields.encode(draft.isEmpty ? nil : draft))
  }

  package static func readDraft(number: Int64) -> Statement<[String: String]> {
    Statement("SELECT draft::text FROM queue WHERE number = $1 AND draft IS NOT NULL", number) {
      AuditFields.decode(try $0.decode(0)) ?? [:]
    }
  }

  /// Deletes that an account passed a case on, unless it had done so before this time already.
  package static func forgetPass(number: Int64, account: String, since time: Date) -> Statement<Void> {
    Statement(
      "DELETE FROM queue_passes WHERE number = $1 AND account = $2 AND passed_at >= $3", number, account, time)
  }

  /// Takes a skip or an escalation back: gives the case its former level and assignment. Returns a row where the case is as
  /// the account left it.
  package static func returnCase(
    number: Int64, account: String, from level: Int16, _ colleague: String?, to former: Int16,
    _ formerColleague: String?
  ) -> Statement<Int64> {
    Statement(
      """
      UPDATE queue SET level = $5::smallint, assigned_to = $6, stale = true, version = version + 1
      WHERE number = $1 AND level = $3::smallint AND assigned_to IS NOT DISTINCT FROM $4 RETURNING number
      """,
      number, account, level, colleague, former, formerColleague)
  }

  /// Marks the cases of numbers as stale: the next round evaluates them again.
  /// - Parameter numbers: in any order; numbers without a case are ignored.
  static func recheckCases(_ numbers: [Int64]) -> Statement<Void> {
    Statement("UPDATE queue SET stale = true, version = version + 1 WHERE number = ANY($1::bigint[])", numbers.sorted())
  }

  package static func readPasses(number: Int64) -> Statement<String> {
    Statement("SELECT account FROM queue_passes WHERE number = $1 ORDER BY passed_at", number)
  }

  /// Counts cases by everything that can be filtered.
  static func countQueue(time: Date) -> Statement<QueueTotals.Group> {
    func days(_ count: Int) -> Date { time.addingTimeInterval(-Double(count) * 86_400) }
    return Statement(
      """
      SELECT country, category_id, causes,
             CASE WHEN since <= $1::timestamptz THEN 30 WHEN since <= $2::timestamptz THEN 7
                  WHEN since <= $3::timestamptz THEN 3 WHEN since <= $4::timestamptz THEN 1 ELSE 0 END,
             level, assigned_to, count(*)
      FROM queue GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
      """,
      days(30), days(7), days(3), days(1)
    ) { row in
      QueueTotals.Group(
        country: try row.decode(0), category: try row.optionalCategory(1),
        causes: QueueCauses(rawValue: try row.decode(2)), days: Int(try row.decode(3, as: Int32.self)),
        level: try row.decode(4), assignedTo: try row.decode(5), count: Int(try row.decode(6, as: Int64.self)))
    }
  }
}

/// The present sums of a number.
typealias QueueFigures = (number: Int64, heat: Double, reports: Int64, lastReportedAt: Date)

extension [QueueRow] {
  mutating func add(_ figures: [QueueFigures]) {
    let places = Dictionary(zip(map(\.item.number), indices)) { first, _ in first }
    for (number, heat, reports, time) in figures {
      guard let place = places[number] else { continue }
      (self[place].heat, self[place].reports, self[place].lastReportedAt) = (heat, reports, time)
    }
  }
}

struct QueueQuery: Sendable {
  let after: QueuePlace
  let filter: QueueFilter
  let level: Int16
  let account: String
  let time: Date
  let limit: Int
}

extension SQL {
  /// A page of the queue in an order: the most urgent, the oldest, those with the most reports or the highest heat first.
  static func readQueue(_ query: QueueQuery, by order: QueueOrder) -> Statement<QueueRow> {
    switch order {
    case .urgency: readQueue(query, by: "urgency", "bigint", after: query.after.value)
    case .age: readQueue(query, by: "since", "timestamptz", after: query.after.time)
    case .reports: readQueue(query, by: "reports", "bigint", descending: true, after: query.after.value)
    case .heat: readQueue(query, by: "heat", "float8", descending: true, after: query.after.heat)
    }
  }

  /// The rows behind a cursor in the order of a column of the queue, without the figures of ``readQueueFigures(numbers:)``:
  /// an outer join after LIMIT would send the complete table of numbers to the coordinator of a cluster.
  /// - Parameters:
  ///   - type: the column's type.
  ///   - after: the cursor's value of the column.
  private static func readQueue(
    _ query: QueueQuery, by column: String, _ type: String, descending: Bool = false, after: some PostgresBindable
  ) -> Statement<QueueRow> {
    let direction = descending ? " DESC" : ""
    let order = "q.\(column)\(direction), q.number\(direction)"
    return Statement(
      """
      SELECT \(QueueSQL.columns), q.heat, q.reports FROM queue q
      WHERE (q.\(column), q.number) \(descending ? "<" : ">") ($1::\(type), $2::bigint) AND \(QueueSQL.filter(from: 4))
      ORDER BY \(order) LIMIT $3::bigint
      """,
      after, query.after.number, Int64(query.limit),
      QueueSQL.Filter(filter: query.filter, level: query.level, account: query.account, time: query.time)
    ) { row in
      QueueRow(
        item: try QueueSQL.decode(row), heat: 0, reports: 0, lastReportedAt: nil,
        order: QueueSums(heat: try row.decode(13), reports: try row.decode(14)))
    }
  }

  /// The present sums of numbers on a page of the queue; no row for a number without reports.
  static func readQueueFigures(numbers: [Int64]) -> Statement<QueueFigures> {
    Statement(
      "SELECT number, heat, reports, last_reported_at FROM numbers WHERE number = ANY($1::bigint[])", numbers
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
  }

  /// Restores the case that a decision had ended; the row is marked stale, so that the next round evaluates it.
  package static func restoreCase(number: Int64, item: DecidedCase) -> Statement<Void> {
    Statement(
      """
      INSERT INTO queue AS q (number, causes, urgency, country, since, level, stale) VALUES ($1, $2, $3, $4, $5, $6, true)
      ON CONFLICT (number) DO UPDATE SET
        causes = q.causes | excluded.causes, since = least(q.since, excluded.since),
        level = greatest(q.level, excluded.level), stale = true, version = q.version + 1
      """,
      number, item.causes.rawValue, Urgency.of(QueueFacts(level: item.level, since: item.since), causes: item.causes),
      RegionMap.countries.region(of: number) ?? "", item.since, item.level)
  }

  /// Adds numbers to the queue, or a cause to existing cases, in the transaction that creates the cause.
  ///
  /// The statement knows only the cause: the row is marked stale, and the next round of `QueueStore.evaluate` evaluates it,
  /// or deletes it where no cause holds.
  /// - Parameters:
  ///   - cases: a number may come with several causes.
  ///   - time: the start of the wait, for numbers without a case.
  package static func enqueueCases(_ cases: [(number: Int64, cause: QueueCause)], at time: Date) -> Statement<Void> {
    let byNumber = Dictionary(grouping: cases, by: \.number).mapValues { QueueCauses($0.map(\.cause)) }
    let sorted = byNumber.sorted { $0.key < $1.key }
    return Statement(
      """
      INSERT INTO queue AS q (number, causes, urgency, country, since, stale)
      SELECT t.number, t.causes, t.urgency, t.country, $5::timestamptz, true
      FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::text[]) AS t (number, causes, urgency, country)
      ORDER BY t.number
      ON CONFLICT (number) DO UPDATE SET
        causes = q.causes | excluded.causes, stale = true, version = q.version + 1
      """,
      sorted.map(\.key), sorted.map(\.value.rawValue),
      sorted.map { Urgency.of(QueueFacts(since: time), causes: $0.value) },
      sorted.map { RegionMap.countries.region(of: $0.key) ?? "" }, time)
  }
}
