import Curation
import Foundation
import PostgreSQL

/// Locks what stands for a number until the transaction ends; answers with a row where there is something.
struct LockStandingRuling: PostgresStatement {
  let number: Int64

  static let sql = "UPDATE number_rulings SET ruling_id = ruling_id WHERE number = $1 RETURNING number"

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Makes a ruling stand where none does; answers with a row when it does now.
struct TakeStandingPlace: PostgresStatement {
  let ruling: Ruling

  static let sql = """
    INSERT INTO number_rulings (number, ruling, label, category_id, ruling_id, ruled_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (number) DO NOTHING
    RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(ruling.number)
    parameters.append(ruling.decision.rawValue)
    parameters.append(ruling.label)
    parameters.append(ruling.category?.rawValue)
    parameters.append(ruling.id)
    parameters.append(ruling.ruledAt)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Adds a line to a number's history of rulings; answers with a row when it is new.
struct AddRuling: PostgresStatement {
  let number: Int64
  let id: UUID
  let ruling: String
  let label: String?
  let category: ReportCategory?
  let undoes: UUID?
  let reason: String?
  let note: String?
  let moderator: String
  let time: Date

  init(_ ruling: Ruling) {
    (number, id, self.ruling) = (ruling.number, ruling.id, ruling.decision.rawValue)
    (label, category, undoes) = (ruling.label, ruling.category, nil)
    (reason, note, moderator, time) = (ruling.reason, ruling.note, ruling.moderator, ruling.ruledAt)
  }

  init(undoing undone: UUID, of number: Int64, id: UUID, reason: String?, moderator: String, time: Date) {
    (self.number, self.id, ruling, undoes) = (number, id, "undo", undone)
    (label, category, note) = (nil, nil, nil)
    (self.reason, self.moderator, self.time) = (reason, moderator, time)
  }

  static let sql = """
    INSERT INTO rulings (number, ruling_id, ruling, label, category_id, undoes, reason, note, moderator, ruled_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (number, ruling_id) DO NOTHING
    RETURNING number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(id)
    parameters.append(ruling)
    parameters.append(label)
    parameters.append(category?.rawValue)
    parameters.append(undoes)
    parameters.append(reason)
    parameters.append(note)
    parameters.append(moderator)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Puts the newest ruling that was not undone into force for a number, and settles its hold or opens it again.
struct SettleRulings: PostgresStatement {
  typealias Row = Void
  let number: Int64

  static let sql = """
    WITH standing AS (
      SELECT number, ruling, label, category_id, ruling_id, ruled_at FROM rulings r
      WHERE number = $1 AND ruling <> 'undo'
        AND NOT EXISTS (SELECT 1 FROM rulings u WHERE u.number = $1 AND u.undoes = r.ruling_id)
      ORDER BY ruled_at DESC, ruling_id DESC LIMIT 1
    ), gone AS (
      DELETE FROM number_rulings WHERE number = $1 AND NOT EXISTS (SELECT 1 FROM standing)
    ), settled AS (
      UPDATE holds SET settled = EXISTS (SELECT 1 FROM standing) WHERE number = $1
    )
    INSERT INTO number_rulings (number, ruling, label, category_id, ruling_id, ruled_at)
    SELECT number, ruling, label, category_id, ruling_id, ruled_at FROM standing
    ON CONFLICT (number) DO UPDATE SET
      ruling = excluded.ruling, label = excluded.label, category_id = excluded.category_id,
      ruling_id = excluded.ruling_id, ruled_at = excluded.ruled_at
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }
}

/// A number's history of rulings, the oldest first.
struct ReadRulings: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT ruling_id, ruling, undoes, label, category_id, reason, note, moderator, ruled_at FROM rulings
    WHERE number = $1 ORDER BY ruled_at, ruling_id
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> RulingEvent {
    let ruling: String = try row.decode(1)
    let undoes: UUID? = try row.decode(2)
    let kind: RulingEvent.Kind
    if let undoes {
      kind = .undo(undoes)
    } else {
      kind = .ruling(try row.decision(ruling))
    }
    return RulingEvent(
      id: try row.decode(0), kind: kind, label: try row.decode(3), category: try row.optionalCategory(4),
      reason: try row.decode(5), note: try row.decode(6), moderator: try row.decode(7), time: try row.decode(8))
  }
}

/// What stands for one number.
struct ReadStandingRuling: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT number, ruling, label, category_id, ruling_id, ruled_at FROM number_rulings WHERE number = $1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> StandingRuling { try row.standingRuling() }
}

/// What stands, in ascending order of number.
struct ReadStandingRulings: PostgresStatement {
  static let sql = "SELECT number, ruling, label, category_id, ruling_id, ruled_at FROM number_rulings ORDER BY number"

  static func decode(_ row: PostgresRow) throws -> StandingRuling { try row.standingRuling() }
}

extension PostgresRow {
  fileprivate func decision(_ text: String) throws -> Ruling.Decision {
    guard let decision = Ruling.Decision(rawValue: text) else { throw StorageError.unknownRuling(text) }
    return decision
  }

  /// A category by its id, where there is one.
  func optionalCategory(_ column: Int) throws -> ReportCategory? {
    isNull(column) ? nil : try category(column)
  }

  fileprivate func standingRuling() throws -> StandingRuling {
    StandingRuling(
      number: try decode(0), decision: try decision(try decode(1)), label: try decode(2),
      category: try optionalCategory(3), rulingID: try decode(4), ruledAt: try decode(5))
  }
}
