// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Decisions about numbers and upheld appeals between two times, and the numbers' present holds and listings.
struct ReadChangeFacts: PostgresStatement {
  let numbers: [Int64]
  let from: Date
  let to: Date

  static let sql = """
    SELECT t.number,
           (SELECT r.decision FROM decisions r
            WHERE r.number = t.number AND r.decision <> 'undo' AND r.decided_at > $2 AND r.decided_at <= $3
            ORDER BY r.decided_at DESC, r.decision_id DESC LIMIT 1),
           EXISTS (SELECT 1 FROM decisions r
                   WHERE r.number = t.number AND r.decision = 'undo' AND r.decided_at > $2 AND r.decided_at <= $3),
           EXISTS (SELECT 1 FROM appeals a
                   WHERE a.number = t.number AND a.state = 'upheld' AND a.answered_at > $2 AND a.answered_at <= $3),
           EXISTS (SELECT 1 FROM holds h WHERE h.number = t.number AND NOT h.settled),
           (SELECT l.cause FROM listings l WHERE l.number = t.number),
           EXISTS (SELECT 1 FROM numbers n WHERE n.number = t.number)
    FROM unnest($1::bigint[]) AS t (number) ORDER BY t.number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(from)
    parameters.append(to)
  }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, facts: ChangeFacts) {
    var facts = ChangeFacts()
    facts.decision = try row.decode(1, as: String?.self).flatMap(Decision.Treatment.init)
    facts.hasUndone = try row.decode(2)
    facts.hasAppealUpheld = try row.decode(3)
    facts.isHeld = try row.decode(4)
    facts.cause = try row.decode(5, as: Int16?.self).flatMap { ListedNumber.Cause(rawValue: UInt8($0)) }
    facts.isReported = try row.decode(6)
    return (try row.decode(0), facts)
  }
}

/// Revocations between two publications: numbers that were removed or added singly.
struct ReadSingleChanges: PostgresStatement {
  let numbers: [Int64]
  let after: Int64
  let upTo: Int64

  static let sql = """
    SELECT number, reason FROM revocations
    WHERE serial > $2 AND serial <= $3 AND number = ANY($1::bigint[]) ORDER BY requested_at
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(after)
    parameters.append(upTo)
  }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, reason: String) {
    (try row.decode(0), try row.decode(1))
  }
}

/// Ranges that were decided between two times.
struct ReadDecidedRanges: PostgresStatement {
  let from: Date
  let to: Date

  static let sql = """
    SELECT number, digits FROM ranges WHERE decided_at > $1 AND decided_at <= $2 ORDER BY number, digits
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(from)
    parameters.append(to)
  }

  static func decode(_ row: PostgresRow) throws -> NumberRange {
    NumberRange(around: try row.decode(0), digits: try row.decode(1))
  }
}

/// The version of thresholds that was in force at a time.
struct ReadVersionAt: PostgresStatement {
  let time: Date

  static let sql = "SELECT version FROM threshold_versions WHERE saved_at <= $1 ORDER BY version DESC LIMIT 1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(time) }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}
