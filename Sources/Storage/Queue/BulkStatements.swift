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

/// What there is to say of numbers before they are ruled about, in ascending order.
struct ReadBulkItems: PostgresStatement {
  let numbers: [Int64]

  static let sql = """
    SELECT t.number, r.ruling, r.label, r.category_id, r.ruling_id, r.ruled_at, coalesce(n.heat, 0), l.number IS NOT NULL,
           (SELECT c.category_id FROM number_categories c JOIN categories k ON k.category_id = c.category_id
            WHERE c.number = t.number AND k.toxic AND c.heat > 0 ORDER BY c.heat DESC, c.category_id LIMIT 1),
           coalesce(q.level, 0::smallint), q.claim_id, q.claimed_by, q.claimed_until
    FROM unnest($1::bigint[]) AS t (number)
    LEFT JOIN number_rulings r ON r.number = t.number
    LEFT JOIN numbers n ON n.number = t.number
    LEFT JOIN listings l ON l.number = t.number
    LEFT JOIN queue q ON q.number = t.number
    ORDER BY t.number
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> BulkItem {
    let number: Int64 = try row.decode(0)
    var standing: StandingRuling?
    if let name: String = try row.decode(1) {
      guard let decision = Ruling.Decision(rawValue: name) else { throw StorageError.unknownRuling(name) }
      standing = StandingRuling(
        number: number, decision: decision, label: try row.decode(2), category: try row.optionalCategory(3),
        rulingID: try row.decode(4), ruledAt: try row.decode(5))
    }
    var claim: QueueCase.Claim?
    if let id: UUID = try row.decode(10) {
      claim = QueueCase.Claim(id: id, account: try row.decode(11), until: try row.decode(12))
    }
    return BulkItem(
      number: number, standing: standing, category: try row.optionalCategory(8), mass: try row.decode(6),
      isPublished: try row.decode(7), level: try row.decode(9), claim: claim)
  }
}

/// Remembers a bulk, once.
struct AddBulk: PostgresStatement {
  typealias Row = Void
  let bulk: Bulk
  let numbers: Int

  static let sql = """
    INSERT INTO bulks (bulk_id, account, ruling, reason, numbers, ruled_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (bulk_id) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(bulk.id)
    parameters.append(bulk.worker.account)
    parameters.append(bulk.decision.rawValue)
    parameters.append(bulk.reason)
    parameters.append(Int32(numbers))
    parameters.append(bulk.ruledAt)
  }
}

/// Keeps a bulk from being undone until the transaction ends; answers with a row where it has not been.
struct HoldBulk: PostgresStatement {
  let id: UUID

  static let sql = """
    UPDATE bulks SET numbers = numbers WHERE bulk_id = $1 AND undone_at IS NULL RETURNING bulk_id
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }

  static func decode(_ row: PostgresRow) throws -> UUID { try row.decode(0) }
}

/// Remembers that a ruling belongs to a bulk.
struct AddBulkRuling: PostgresStatement {
  typealias Row = Void
  let bulk: UUID
  let number: Int64
  let ruling: UUID

  static let sql = """
    INSERT INTO bulk_rulings (number, ruling_id, bulk_id) VALUES ($1, $2, $3)
    ON CONFLICT (number, ruling_id) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(ruling)
    parameters.append(bulk)
  }
}

/// The rulings of a bulk, in ascending order of number.
struct ReadBulkRulings: PostgresStatement {
  let bulk: UUID

  static let sql = "SELECT number, ruling_id FROM bulk_rulings WHERE bulk_id = $1 ORDER BY number"

  func bind(into parameters: inout PostgresParameters) { parameters.append(bulk) }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, ruling: UUID) {
    (try row.decode(0), try row.decode(1))
  }
}

/// A bulk, without how many rulings it made.
struct ReadBulk: PostgresStatement {
  let id: UUID

  static let sql = """
    SELECT bulk_id, account, ruling, reason, ruled_at, undone_by, numbers FROM bulks WHERE bulk_id = $1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }

  static func decode(_ row: PostgresRow) throws -> BulkRun {
    let name: String = try row.decode(2)
    guard let decision = Ruling.Decision(rawValue: name) else { throw StorageError.unknownRuling(name) }
    return BulkRun(
      id: try row.decode(0), account: try row.decode(1), decision: decision, reason: try row.decode(3),
      ruledAt: try row.decode(4), numbers: Int(try row.decode(6, as: Int32.self)), rulings: 0,
      undoneBy: try row.decode(5))
  }
}

/// Remembers that a bulk was undone.
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
