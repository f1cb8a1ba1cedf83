// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Stores a revocation.
  static func requestRevocation(_ revocation: Revocation) -> Statement<Void> {
    let (action, category, label): (String, ReportCategory?, String?) =
      switch revocation.action {
      case .remove: ("remove", nil, nil)
      case .unlist: ("unlist", nil, nil)
      case .add(let category, let label): ("add", category, label)
      }
    return Statement(
      """
      INSERT INTO revocations (revocation_id, number, action, category_id, label, reason, requested_by, requested_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (revocation_id) DO NOTHING
      """,
      revocation.id, revocation.number, action, category?.rawValue, label, revocation.reason, revocation.requestedBy,
      revocation.requestedAt)
  }
}

extension SQL {
  /// The open revocations, the oldest first.
  static func readOpenRevocations(limit: Int) -> Statement<Revocation> {
    Statement(
      """
      SELECT revocation_id, number, action, coalesce(category_id, 12::smallint), label, reason, requested_by, requested_at
      FROM revocations WHERE settled_at IS NULL ORDER BY requested_at, revocation_id LIMIT $1::bigint
      """,
      Int64(limit)
    ) { row in
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
  static func readRemovals() -> Statement<(number: Int64, id: UUID)> {
    Statement(
      "SELECT number, revocation_id FROM revocations WHERE action = 'remove'"
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// Revocations that remove one number from every pack.
  static func readRemovalsOfNumber(number: Int64) -> Statement<UUID> {
    Statement(
      "SELECT revocation_id FROM revocations WHERE number = $1 AND action = 'remove'",
      number
    ) { try $0.decode(0) }
  }

  /// The outcome of a revocation.
  static func readRevocationOutcome(id: UUID) -> Statement<RevocationOutcome> {
    Statement(
      "SELECT serial, settled_at, failure::text FROM revocations WHERE revocation_id = $1",
      id
    ) { row in
      RevocationOutcome(serial: try row.decode(0), settledAt: try row.decode(1), failure: try row.codedIfPresent(2))
    }
  }

  /// Settles revocations.
  static func settleRevocations(
    ids: [UUID], serial: Int64?, failure: RevocationFailure?, time: Date
  ) -> Statement<Void> {
    Statement(
      """
      UPDATE revocations SET serial = $2, failure = $3::text::jsonb, settled_at = $4
      WHERE revocation_id = ANY($1::uuid[]) AND settled_at IS NULL
      """,
      ids, serial, failure?.json, time)
  }

  /// Those of some numbers that are listed because of reports, ascending.
  static func readListedByReports(numbers: [Int64]) -> Statement<Int64> {
    Statement(
      "SELECT number FROM listings WHERE number = ANY($1::bigint[]) AND cause = 0 ORDER BY number",
      numbers
    ) { try $0.decode(0) }
  }

  /// Deletes the listings of numbers.
  static func unlistNumbers(numbers: [Int64]) -> Statement<Void> {
    Statement(
      "DELETE FROM listings WHERE number = ANY($1::bigint[])",
      numbers)
  }

  /// Inserts listings of numbers. A listed number keeps its cause; its category and treatment are updated.
  static func listNumbers(listings: [Listing], serial: Int64, time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO listings (number, category_id, cause, treatment, serial, listed_at, sha1)
      SELECT t.number, t.category_id, t.cause, t.treatment, $5, $6, t.sha1
      FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::smallint[], $7::bigint[])
        t (number, category_id, cause, treatment, sha1)
      ORDER BY t.number
      ON CONFLICT (number) DO UPDATE
        SET category_id = excluded.category_id, treatment = excluded.treatment, sha1 = excluded.sha1
      """,
      listings.map(\.number), listings.map(\.category.rawValue), listings.map { Int16($0.cause.rawValue) },
      listings.map { Int16($0.treatment.rawValue) }, serial, time, listings.map { NumberSHA1.stored($0.number) })
  }
}
