// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Stores a revocation.
struct RequestRevocation: PostgresStatement {
  typealias Row = Void
  let revocation: Revocation

  static let sql = """
    INSERT INTO revocations (revocation_id, number, action, category_id, label, reason, requested_by, requested_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (revocation_id) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(revocation.id)
    parameters.append(revocation.number)
    switch revocation.action {
    case .remove, .unlist:
      parameters.append(revocation.action == .remove ? "remove" : "unlist")
      parameters.append(Int16?.none)
      parameters.append(String?.none)
    case .add(let category, let label):
      parameters.append("add")
      parameters.append(category.rawValue)
      parameters.append(label)
    }
    parameters.append(revocation.reason)
    parameters.append(revocation.requestedBy)
    parameters.append(revocation.requestedAt)
  }
}

/// The open revocations, the oldest first.
struct ReadOpenRevocations: PostgresStatement {
  let limit: Int

  static let sql = """
    SELECT revocation_id, number, action, coalesce(category_id, 12::smallint), label, reason, requested_by, requested_at
    FROM revocations WHERE settled_at IS NULL ORDER BY requested_at, revocation_id LIMIT $1::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> Revocation {
    let action: Revocation.Action =
      switch try row.decode(2, as: String.self) {
      case "remove": .remove
      case "unlist": .unlist
      default: .add(try row.category(3), label: try row.decode(4))
      }
    return Revocation(
      id: try row.decode(0), number: try row.decode(1), action: action,
      reason: try row.decode(5), requestedBy: try row.decode(6), requestedAt: try row.decode(7))
  }
}

/// Revocations that remove numbers from every pack.
struct ReadRemovals: PostgresStatement {
  static let sql = "SELECT number, revocation_id FROM revocations WHERE action = 'remove'"

  func bind(into parameters: inout PostgresParameters) {}

  static func decode(_ row: PostgresRow) throws -> (number: Int64, id: UUID) {
    (try row.decode(0), try row.decode(1))
  }
}

/// Revocations that remove one number from every pack.
struct ReadRemovalsOfNumber: PostgresStatement {
  let number: Int64

  static let sql = "SELECT revocation_id FROM revocations WHERE number = $1 AND action = 'remove'"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
  }

  static func decode(_ row: PostgresRow) throws -> UUID { try row.decode(0) }
}

/// The outcome of a revocation.
struct ReadRevocationOutcome: PostgresStatement {
  let id: UUID

  static let sql = "SELECT serial, settled_at, failure::text FROM revocations WHERE revocation_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
  }

  static func decode(_ row: PostgresRow) throws -> RevocationOutcome {
    RevocationOutcome(serial: try row.decode(0), settledAt: try row.decode(1), failure: try row.codedIfPresent(2))
  }
}

/// Settles revocations.
struct SettleRevocations: PostgresStatement {
  typealias Row = Void
  let ids: [UUID]
  let serial: Int64?
  let failure: RevocationFailure?
  let time: Date

  static let sql = """
    UPDATE revocations SET serial = $2, failure = $3::text::jsonb, settled_at = $4
    WHERE revocation_id = ANY($1::uuid[]) AND settled_at IS NULL
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(ids)
    parameters.append(serial)
    parameters.append(failure?.json)
    parameters.append(time)
  }
}

/// Those of some numbers that are listed because of reports, ascending.
struct ReadListedByReports: PostgresStatement {
  let numbers: [Int64]

  static let sql = "SELECT number FROM listings WHERE number = ANY($1::bigint[]) AND cause = 0 ORDER BY number"

  func bind(into parameters: inout PostgresParameters) { parameters.append(numbers) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Deletes the listings of numbers.
struct UnlistNumbers: PostgresStatement {
  typealias Row = Void
  let numbers: [Int64]

  static let sql = "DELETE FROM listings WHERE number = ANY($1::bigint[])"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
  }
}

/// Inserts listings of numbers. A listed number keeps its cause; its category and treatment are updated.
struct ListNumbers: PostgresStatement {
  typealias Row = Void
  let listings: [Listing]
  let serial: Int64
  let time: Date

  static let sql = """
    INSERT INTO listings (number, category_id, cause, treatment, serial, listed_at, sha1)
    SELECT t.number, t.category_id, t.cause, t.treatment, $5, $6, t.sha1
    FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::smallint[], $7::bigint[])
      t (number, category_id, cause, treatment, sha1)
    ORDER BY t.number
    ON CONFLICT (number) DO UPDATE
      SET category_id = excluded.category_id, treatment = excluded.treatment, sha1 = excluded.sha1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(listings.map(\.number))
    parameters.append(listings.map(\.category.rawValue))
    parameters.append(listings.map { Int16($0.cause.rawValue) })
    parameters.append(listings.map { Int16($0.treatment.rawValue) })
    parameters.append(serial)
    parameters.append(time)
    parameters.append(listings.map { NumberSHA1.stored($0.number) })
  }
}
