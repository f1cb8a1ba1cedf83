// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Stores the ids and content hashes of batches; returns those that are new.
  static func rememberBatches(batches: [IdentificationBatch], receivedAt: Date) -> Statement<BatchName> {
    Statement(
      """
      INSERT INTO identification_batches (app_id, batch_id, content_hash, received_at)
      SELECT app_id, batch_id, content_hash, $4::timestamptz
      FROM unnest($1::integer[], $2::uuid[], $3::bytea[]) AS t (app_id, batch_id, content_hash)
      ORDER BY app_id, batch_id
      ON CONFLICT (app_id, batch_id) DO NOTHING
      RETURNING app_id, batch_id
      """,
      batches.map(\.appID), batches.map(\.batchID), batches.map(\.contentHash), receivedAt
    ) { BatchName(appID: try $0.decode(0), batchID: try $0.decode(1)) }
  }

  /// The stored ids and content hashes of batches.
  static func readBatches(batches: [IdentificationBatch]) -> Statement<(BatchName, [UInt8])> {
    Statement(
      """
      SELECT b.app_id, b.batch_id, b.content_hash
      FROM identification_batches b
      JOIN unnest($1::integer[], $2::uuid[]) AS t (app_id, batch_id) USING (app_id, batch_id)
      """,
      batches.map(\.appID), batches.map(\.batchID)
    ) { (BatchName(appID: try $0.decode(0), batchID: try $0.decode(1)), try $0.decode(2)) }
  }

  /// Adds calls to the counters, sorted by number, so that two batches lock rows in the same order.
  static func countIdentifications(items: [IdentificationBatch.Item]) -> Statement<Void> {
    Statement(
      """
      WITH item AS (
        SELECT number, day, sum(named)::bigint AS named, sum(unknown)::bigint AS unknown
        FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[]) AS t (number, day, named, unknown)
        WHERE named > 0 OR unknown > 0
        GROUP BY number, day
      ), by_day AS (
        INSERT INTO identification_days AS d (number, day, named, unknown)
        SELECT number, DATE '1970-01-01' + day, named, unknown FROM item ORDER BY number, day
        ON CONFLICT (number, day) DO UPDATE SET
          named = d.named + excluded.named, unknown = d.unknown + excluded.unknown
      )
      INSERT INTO number_identifications AS n (number, heat, named, unknown, last_day)
      SELECT number, sum((named + unknown) * \(IdentificationSQL.noonScale(day: "day"))), sum(named), sum(unknown),
             DATE '1970-01-01' + max(day)
      FROM item GROUP BY number ORDER BY number
      ON CONFLICT (number) DO UPDATE SET
        heat = n.heat + excluded.heat, named = n.named + excluded.named, unknown = n.unknown + excluded.unknown,
        last_day = greatest(n.last_day, excluded.last_day)
      """,
      items.map(\.number), items.map(\.day), items.map(\.named), items.map(\.unknown))
  }

  /// Counts of identified calls from one number.
  static func readIdentifications(number: Int64, time: Date) -> Statement<IdentificationCounts> {
    Statement(
      """
      SELECT number, heat / $2::float8, named, unknown, last_day - DATE '1970-01-01'
      FROM number_identifications WHERE number = $1
      """,
      number, Decay.heat.scale(at: time)
    ) { try $0.identificationCounts() }
  }

  /// The numbers that ring most phones.
  static func readMostIdentified(time: Date, limit: Int) -> Statement<IdentificationCounts> {
    Statement(
      """
      SELECT number, heat / $1::float8, named, unknown, last_day - DATE '1970-01-01'
      FROM number_identifications ORDER BY heat DESC, number LIMIT $2::bigint
      """,
      Decay.heat.scale(at: time), Int64(limit)
    ) { try $0.identificationCounts() }
  }
}

/// SQL that several statements about identifications share.
enum IdentificationSQL {
  /// The stored heat of one call on a day, given in days since 1970, as of noon UTC. See ``Decay/scale(at:)``.
  static func noonScale(day: String) -> String {
    "exp((\(day) * 86400::float8 + 43200 - \(Int(Decay.origin.timeIntervalSince1970))) / \(Decay.heat.timeConstant))"
  }

  /// The rows that number_identifications should have, calculated from the days.
  /// - Parameter numbers: a condition on `number`.
  static func recount(where numbers: String) -> String {
    """
    SELECT number, sum((named + unknown) * \(noonScale(day: "(day - DATE '1970-01-01')"))) AS heat,
           sum(named)::bigint AS named, sum(unknown)::bigint AS unknown, max(day) AS last_day
    FROM identification_days WHERE \(numbers) GROUP BY number
    """
  }
}

extension PostgresRow {
  fileprivate func identificationCounts() throws -> IdentificationCounts {
    IdentificationCounts(
      number: try decode(0), heat: try decode(1), named: try decode(2), unknown: try decode(3), lastDay: try decode(4))
  }
}
