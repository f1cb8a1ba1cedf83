// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import PostgreSQL

extension Bulk {
  /// A name-based UUID: the first 16 bytes of SHA-256 over both.
  static func id(bulk: UUID, number: Int64) -> UUID {
    let digest = SHA256.hash(data: Data("\(bulk.uuidString.lowercased()) \(number)".utf8))
    let b = Array(digest)
    return UUID(
      uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]))
  }
}

/// The number of decisions and undoings about each of some numbers; no row for a number without any.
struct CountDecisionsOf: PostgresStatement {
  let numbers: [Int64]

  static let sql = "SELECT number, count(*) FROM decisions WHERE number = ANY($1::bigint[]) GROUP BY number"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, count: Int) {
    (try row.decode(0), Int(try row.decode(1, as: Int64.self)))
  }
}

/// The stored heat of some numbers.
struct ReadHeats: PostgresStatement {
  let numbers: [Int64]

  static let sql = "SELECT number, heat FROM numbers WHERE number = ANY($1::bigint[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, heat: Double) {
    (try row.decode(0), try row.decode(1))
  }
}

/// The hottest category of complaints about each of some numbers, and the reporters of all of them.
struct ReadComplaints: PostgresStatement {
  let numbers: [Int64]

  static let sql = """
    SELECT c.number, (array_agg(c.category_id ORDER BY c.heat DESC, c.category_id) FILTER (WHERE c.heat > 0))[1],
           sum(c.reporters)
    FROM number_categories c JOIN categories k ON k.category_id = c.category_id
    WHERE c.number = ANY($1::bigint[]) AND k.toxic GROUP BY c.number
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, hottest: ReportCategory?, reporters: Int) {
    (try row.decode(0), try row.optionalCategory(1), Int(try row.decode(2, as: Int64.self)))
  }
}

/// The level of the cases of some numbers, and the claim on each.
struct ReadClaims: PostgresStatement {
  let numbers: [Int64]

  static let sql = """
    SELECT number, level, claim_id, claimed_by, claimed_until FROM queue WHERE number = ANY($1::bigint[])
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, level: Int16, claim: QueueCase.Claim?) {
    let id: UUID? = try row.decode(2)
    let claim = try id.map { QueueCase.Claim(id: $0, account: try row.decode(3), until: try row.decode(4)) }
    return (try row.decode(0), try row.decode(1), claim)
  }
}

/// Those of some numbers that the newest publication lists.
struct FindListed: PostgresStatement {
  let numbers: [Int64]

  static let sql = "SELECT number FROM listings WHERE number = ANY($1::bigint[])"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Those of some numbers that a rule against brigading holds.
struct FindHeld: PostgresStatement {
  let numbers: [Int64]

  static let sql = "SELECT number FROM holds WHERE number = ANY($1::bigint[]) AND NOT settled"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Those of some numbers with an open appeal.
struct FindAppealed: PostgresStatement {
  let numbers: [Int64]

  static let sql = "SELECT number FROM appeals WHERE number = ANY($1::bigint[]) AND state = 'open'"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Those of some numbers that a directory names.
struct FindNamedNumbers: PostgresStatement {
  let numbers: [Int64]

  static let sql = """
    SELECT DISTINCT e.number FROM directory_entries e JOIN directory_sources s ON s.generation = e.generation
    WHERE e.number = ANY($1::bigint[])
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Stores a bulk with everything that is needed to finish it, once.
struct AddBulk: PostgresStatement {
  typealias Row = Void
  let bulk: Bulk
  /// In ascending order.
  let items: [BulkItem]

  static let sql = """
    INSERT INTO bulks
      (bulk_id, account, decision, label, category_id, reason, numbers, chosen_numbers, decision_counts, decided_at,
       expires_at, heartbeat_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, statement_timestamp())
    ON CONFLICT (bulk_id) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(bulk.id)
    parameters.append(bulk.worker.account)
    parameters.append(bulk.treatment.rawValue)
    parameters.append(bulk.label)
    parameters.append(bulk.category?.rawValue)
    parameters.append(bulk.reason)
    parameters.append(Int32(items.count))
    parameters.append(items.map(\.number))
    parameters.append(items.map { Int32(clamping: $0.decisionCount) })
    parameters.append(bulk.decidedAt)
    parameters.append(bulk.expiresAt)
  }
}

/// Prevents a bulk from being undone until the transaction ends, and stores a heartbeat; returns a row where it has not
/// been undone.
struct HoldBulk: PostgresStatement {
  let id: UUID

  static let sql = """
    UPDATE bulks SET heartbeat_at = statement_timestamp() WHERE bulk_id = $1 AND undone_at IS NULL RETURNING bulk_id
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }

  static func decode(_ row: PostgresRow) throws -> UUID { try row.decode(0) }
}

/// Stores that a decision belongs to a bulk.
struct AddBulkDecision: PostgresStatement {
  typealias Row = Void
  let bulk: UUID
  let number: Int64
  let decision: UUID

  static let sql = """
    INSERT INTO bulk_decisions (number, decision_id, bulk_id) VALUES ($1, $2, $3)
    ON CONFLICT (number, decision_id) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(decision)
    parameters.append(bulk)
  }
}

/// The decisions of a bulk, in ascending order of number.
struct ReadBulkDecisions: PostgresStatement {
  let bulk: UUID

  static let sql = "SELECT number, decision_id FROM bulk_decisions WHERE bulk_id = $1 ORDER BY number"

  func bind(into parameters: inout PostgresParameters) { parameters.append(bulk) }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, decision: UUID) {
    (try row.decode(0), try row.decode(1))
  }
}

/// Number of decisions that some bulks made.
struct CountBulkDecisions: PostgresStatement {
  let bulks: [UUID]

  static let sql = """
    SELECT bulk_id, count(*) FROM bulk_decisions WHERE bulk_id = ANY($1::uuid[]) GROUP BY bulk_id ORDER BY bulk_id
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(bulks) }

  static func decode(_ row: PostgresRow) throws -> (bulk: UUID, count: Int) {
    (try row.decode(0), Int(try row.decode(1, as: Int64.self)))
  }
}

/// A bulk, without the number of its decisions.
struct ReadBulk: PostgresStatement {
  let id: UUID

  static let sql = "SELECT \(BulkRun.columns) FROM bulks WHERE bulk_id = $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }

  static func decode(_ row: PostgresRow) throws -> BulkRun { try BulkRun(row) }
}

/// Interrupted bulks, of one account or of all, the newest first, without the number of their decisions.
struct ReadUnfinishedBulks: PostgresStatement {
  let account: String?
  let limit: Int

  /// Nil for a worker who may finish none.
  init?(for worker: QueueWorker, limit: Int) {
    guard worker.role >= .moderator else { return nil }
    (account, self.limit) = (worker.role >= .administrator ? nil : worker.account, limit)
  }

  static let sql = """
    SELECT \(BulkRun.columns) FROM bulks
    WHERE finished_at IS NULL AND undone_at IS NULL
      AND heartbeat_at < statement_timestamp() - make_interval(secs => $2)
      AND ($1::text IS NULL OR account = $1::text)
    ORDER BY decided_at DESC, bulk_id LIMIT $3::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(account)
    parameters.append(BulkRun.silence)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> BulkRun { try BulkRun(row) }
}

extension BulkRun {
  /// The columns of ``init(_:)``.
  fileprivate static let columns = """
    bulk_id, account, decision, label, category_id, reason, decided_at, undone_by, numbers,
    heartbeat_at < statement_timestamp() - make_interval(secs => \(silence)), finished_at IS NOT NULL, chosen_numbers,
    decision_counts, expires_at
    """

  fileprivate init(_ row: PostgresRow) throws {
    let name: String = try row.decode(2)
    guard let treatment = Decision.Treatment(rawValue: name) else { throw StorageError.unknownTreatment(name) }
    self.init(
      id: try row.decode(0), account: try row.decode(1), treatment: treatment, label: try row.decode(3),
      category: try row.optionalCategory(4), reason: try row.decode(5), decidedAt: try row.decode(6),
      expiresAt: try row.decode(13), numbers: Int(try row.decode(8, as: Int32.self)), decisions: 0,
      undoneBy: try row.decode(7), isSilent: try row.decode(9), isFinished: try row.decode(10),
      chosenNumbers: try row.decode(11), decisionCounts: try row.decode(12))
  }
}

/// Stores that all batches of a bulk were processed; no row where that is stored already, or it was undone.
struct FinishBulk: PostgresStatement {
  let id: UUID
  let time: Date

  static let sql = """
    UPDATE bulks SET finished_at = $2 WHERE bulk_id = $1 AND finished_at IS NULL AND undone_at IS NULL
    RETURNING bulk_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> UUID { try row.decode(0) }
}

/// Stores that a bulk was undone.
struct UndoBulk: PostgresStatement {
  typealias Row = Void
  let id: UUID
  let account: String
  let time: Date

  static let sql = "UPDATE bulks SET undone_at = $3, undone_by = $2 WHERE bulk_id = $1 AND undone_at IS NULL"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(account)
    parameters.append(time)
  }
}
