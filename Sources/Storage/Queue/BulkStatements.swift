// SPDX-License-Identifier: Apache-2.0

import Curation
package import Foundation
package import PostgreSQL

extension SQL {
  /// The number of decisions and undoings about each of some numbers; no row for a number without any.
  static func countDecisionsOf(numbers: [Int64]) -> Statement<(number: Int64, count: Int)> {
    Statement(
      "SELECT number, count(*) FROM decisions WHERE number = ANY($1::bigint[]) GROUP BY number",
      numbers
    ) { (try $0.decode(0), Int(try $0.decode(1, as: Int64.self))) }
  }

  /// The accounts that made the decisions in force about some numbers.
  static func readDecidersOf(numbers: [Int64]) -> Statement<(number: Int64, account: String)> {
    Statement(
      """
      SELECT n.number, d.decided_by FROM number_decisions n
      JOIN decisions d ON d.number = n.number AND d.decision_id = n.decision_id
      WHERE n.number = ANY($1::bigint[])
      """,
      numbers
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// The stored heat of some numbers.
  static func readHeats(numbers: [Int64]) -> Statement<(number: Int64, heat: Double)> {
    Statement(
      "SELECT number, heat FROM numbers WHERE number = ANY($1::bigint[])",
      numbers
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// The category with the most heat of complaints about each of some numbers, and the reporters of all of them.
  static func readComplaints(numbers: [Int64]) -> Statement<(number: Int64, hottest: ReportCategory?, reporters: Int)> {
    Statement(
      """
      SELECT c.number, (array_agg(c.category_id ORDER BY c.heat DESC, c.category_id) FILTER (WHERE c.heat > 0))[1],
             sum(c.reporters)
      FROM number_categories c JOIN categories k ON k.category_id = c.category_id
      WHERE c.number = ANY($1::bigint[]) AND k.toxic GROUP BY c.number
      """,
      numbers
    ) { (try $0.decode(0), try $0.optionalCategory(1), Int(try $0.decode(2, as: Int64.self))) }
  }

  static func readClaims(
    numbers: [Int64]
  ) -> Statement<(number: Int64, level: Int16, claim: QueueCase.Claim?, isOfRange: Bool)> {
    Statement(
      """
      SELECT number, level, claim_id, claimed_by, claimed_until, causes FROM queue WHERE number = ANY($1::bigint[])
      """,
      numbers
    ) { row in
      let id: UUID? = try row.decode(2)
      let claim = try id.map { QueueCase.Claim(id: $0, account: try row.decode(3), until: try row.decode(4)) }
      let causes = QueueCauses(rawValue: try row.decode(5))
      return (try row.decode(0), try row.decode(1), claim, causes.contains(.range))
    }
  }

  static func findListed(numbers: [Int64]) -> Statement<Int64> {
    Statement("SELECT number FROM listings WHERE number = ANY($1::bigint[])", numbers)
  }

  static func findHeld(numbers: [Int64]) -> Statement<Int64> {
    Statement("SELECT number FROM holds WHERE number = ANY($1::bigint[]) AND NOT settled", numbers)
  }

  /// The given numbers with an open appeal.
  static func findAppealed(numbers: [Int64]) -> Statement<Int64> {
    Statement(
      "SELECT number FROM appeals WHERE number = ANY($1::bigint[]) AND state = 'open'",
      numbers)
  }

  /// The given numbers that a directory names.
  static func findNamedNumbers(numbers: [Int64]) -> Statement<Int64> {
    Statement(
      """
      SELECT DISTINCT e.number FROM directory_entries e JOIN directory_sources s ON s.generation = e.generation
      WHERE e.number = ANY($1::bigint[])
      """,
      numbers)
  }

  /// Stores a bulk with everything that is needed to finish it, once.
  /// - Parameter items: In ascending order.
  package static func addBulk(bulk: Bulk, items: [BulkItem]) -> Statement<Void> {
    let rows = bulk.values.isEmpty ? nil : BulkRowDecisions(items.map { bulk.values(of: $0.number) })
    return Statement(
      """
      INSERT INTO bulks
        (bulk_id, account, decision, label, category_id, reason, numbers, chosen_numbers, decision_counts, decided_at,
         expires_at, heartbeat_at, row_decisions, row_places)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, statement_timestamp(), $12::text::jsonb, $13)
      ON CONFLICT (bulk_id) DO NOTHING
      """,
      bulk.id, bulk.worker.name, bulk.treatment.rawValue, bulk.label, bulk.category?.rawValue, bulk.reason,
      Int32(items.count), items.map(\.number), items.map { Int32(clamping: $0.decisionCount) }, bulk.decidedAt,
      bulk.expiresAt, rows?.json, rows?.places)
  }

  /// Prevents a bulk from being undone until the transaction ends, and stores a heartbeat; returns a row where it has not
  /// been undone.
  package static func holdBulk(id: UUID) -> Statement<UUID> {
    Statement(
      """
      UPDATE bulks SET heartbeat_at = statement_timestamp() WHERE bulk_id = $1 AND undone_at IS NULL RETURNING bulk_id
      """,
      id)
  }

  package static func addBulkDecision(bulk: UUID, number: Int64, decision: UUID) -> Statement<Void> {
    Statement(
      """
      INSERT INTO bulk_decisions (number, decision_id, bulk_id) VALUES ($1, $2, $3)
      ON CONFLICT (number, decision_id) DO NOTHING
      """,
      number, decision, bulk)
  }

  /// The decisions of a bulk, in ascending order of number.
  package static func readBulkDecisions(bulk: UUID) -> Statement<(number: Int64, decision: UUID)> {
    Statement(
      "SELECT number, decision_id FROM bulk_decisions WHERE bulk_id = $1 ORDER BY number",
      bulk
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  static func countUndoneOf(bulk: UUID) -> Statement<Int> {
    Statement(
      """
      SELECT count(*) FROM bulk_decisions b JOIN decisions u ON u.number = b.number AND u.undoes = b.decision_id
      WHERE b.bulk_id = $1
      """,
      bulk
    ) { Int(try $0.decode(0, as: Int64.self)) }
  }

  /// A bulk, without the number of its decisions.
  package static func readBulk(id: UUID) -> Statement<BulkRun> {
    Statement("SELECT \(BulkRun.columns) FROM bulks WHERE bulk_id = $1", id) { try BulkRun($0) }
  }

  /// A bulk without its numbers and the number of its decisions.
  static func readBulkProgress(id: UUID) -> Statement<BulkRun> {
    Statement("SELECT \(BulkRun.progressColumns) FROM bulks WHERE bulk_id = $1", id) { try BulkRun($0) }
  }

  /// Interrupted bulks that a worker may finish, the newest first, without the number of their decisions.
  /// - Returns: nil for a worker who may finish none.
  static func readUnfinishedBulks(for worker: Actor, limit: Int) -> Statement<BulkRun>? {
    guard worker.canFinishBulks(of: worker.name) else { return nil }
    return Statement(
      """
      SELECT \(BulkRun.columns) FROM bulks
      WHERE finished_at IS NULL AND undone_at IS NULL
        AND \(GatingTime.bulkHeartbeat.isSilent(for: "$2"))
        AND ($1::text IS NULL OR account = $1::text)
      ORDER BY decided_at DESC, bulk_id LIMIT $3::bigint
      """,
      worker.canFinishBulks(of: nil) ? nil : worker.name, BulkRun.silence, Int64(limit)
    ) { try BulkRun($0) }
  }
}

extension Actor {
  /// Whether they may finish a bulk of this account, or of any for nil: moderators their own, and administrators all.
  package func canFinishBulks(of account: String?) -> Bool {
    role >= .administrator || role >= .moderator && account == name
  }
}

extension BulkRun {
  /// The columns of ``init(_:)``.
  fileprivate static let columns = "\(state), chosen_numbers, decision_counts, row_decisions::text, row_places"
  /// The same without numbers, and with the decisions of a file as empty.
  fileprivate static let progressColumns = """
    \(state), '{}'::bigint[], '{}'::integer[], CASE WHEN row_places IS NOT NULL THEN '[]' END,
    CASE WHEN row_places IS NOT NULL THEN '{}'::integer[] END
    """
  private static let state = """
    bulk_id, account, decision, label, category_id, reason, decided_at, undone_by, numbers,
    \(GatingTime.bulkHeartbeat.isSilent(for: "\(silence)")), finished_at IS NOT NULL, expires_at,
    coalesce(heartbeat_at > finished_at, false)
    """

  fileprivate init(_ row: PostgresRow) throws {
    let name: String = try row.decode(2)
    guard let treatment = Decision.Treatment(rawValue: name) else { throw StorageError.unknownTreatment(name) }
    self.init(
      id: try row.decode(0), account: try row.decode(1), treatment: treatment, label: try row.decode(3),
      category: try row.optionalCategory(4), reason: try row.decode(5), decidedAt: try row.decode(6),
      expiresAt: try row.decode(11), numbers: Int(try row.decode(8, as: Int32.self)), decisions: 0,
      undoneBy: try row.decode(7), isHeartbeatAfterEnd: try row.decode(12), isSilent: try row.decode(9),
      isFinished: try row.decode(10), chosenNumbers: try row.decode(13), decisionCounts: try row.decode(14),
      rowDecisions: try BulkRowDecisions(json: try row.decode(15), places: try row.decode(16)))
  }
}

extension SQL {
  /// Stores that all batches of a bulk were processed, by the clock of heartbeats; no row where that is stored already, or
  /// it was undone.
  package static func finishBulk(id: UUID) -> Statement<UUID> {
    Statement(
      """
      UPDATE bulks SET finished_at = statement_timestamp()
      WHERE bulk_id = $1 AND finished_at IS NULL AND undone_at IS NULL
      RETURNING bulk_id
      """,
      id)
  }

  package static func undoBulk(id: UUID, account: String, time: Date) -> Statement<Void> {
    Statement(
      "UPDATE bulks SET undone_at = $3, undone_by = $2 WHERE bulk_id = $1 AND undone_at IS NULL",
      id, account, time)
  }
}
