// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
public import PostgreSQL

/// Counts of identified calls by number and day, and the decayed heat that ranks the numbers.
public struct IdentificationStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Counts batches in one transaction; when it returns, they are committed.
  ///
  /// Safe to call again with the same batches.
  /// - Returns: the outcome of each batch, in the order of the batches.
  /// - Throws: `PostgresError`; then nothing is counted or, when the error says that the commit is in doubt, everything
  ///   or nothing.
  public func accept(_ batches: [IdentificationBatch], receivedAt: Date) async throws -> [IdentificationOutcome] {
    var firsts: [BatchName: Int] = [:]
    for (index, batch) in batches.enumerated() {
      let name = BatchName(appID: batch.appID, batchID: batch.batchID)
      if firsts[name] == nil { firsts[name] = index }
    }
    guard !firsts.isEmpty else { return [] }
    let unique = firsts.values.sorted().map { batches[$0] }
    let known = try await pool.transaction { connection -> [BatchName: [UInt8]] in
      let fresh = Set(try await connection.run(SQL.rememberBatches(batches: unique, receivedAt: receivedAt)))
      let counted = unique.filter { fresh.contains(BatchName(appID: $0.appID, batchID: $0.batchID)) }
      if !counted.isEmpty { _ = try await connection.run(SQL.countIdentifications(items: counted.flatMap(\.items))) }
      guard counted.count < unique.count else { return [:] }
      // A new snapshot: it also sees a batch of the same id that another server has just committed.
      let rows = try await connection.run(SQL.readBatches(batches: unique.filter { !counted.contains($0) }))
      return Dictionary(uniqueKeysWithValues: rows)
    }
    return batches.enumerated().map { index, batch in
      let name = BatchName(appID: batch.appID, batchID: batch.batchID)
      if let hash = known[name] { return hash == batch.contentHash ? .duplicate : .conflict }
      guard let first = firsts[name], first != index else { return .created }
      return batches[first].contentHash == batch.contentHash ? .duplicate : .conflict
    }
  }
}

/// The identity of a batch, the same for every retry.
struct BatchName: Hashable, Sendable {
  let appID: Int32
  let batchID: UUID
}

/// Counts of identified calls from an app: checked, ready to be stored.
public struct IdentificationBatch: Sendable, Equatable {
  /// The calls of one number on one day.
  public struct Item: Sendable, Equatable {
    /// E.164 digits.
    public var number: Int64
    /// Days since 1970-01-01.
    public var day: Int32
    /// Calls that a phone could name, 0 or more.
    public var named: Int64
    /// Calls that it could not, 0 or more.
    public var unknown: Int64

    public init(number: Int64, day: Int32, named: Int64, unknown: Int64) {
      self.number = number
      self.day = day
      self.named = named
      self.unknown = unknown
    }
  }

  public var appID: Int32
  /// Chosen by the client; the same for every retry.
  public var batchID: UUID
  /// SHA-256 of the content, 32 bytes; the same for every retry.
  public var contentHash: [UInt8]
  /// In any order; items of one number and day are added up.
  public var items: [Item]

  public init(appID: Int32, batchID: UUID, contentHash: [UInt8], items: [Item]) {
    self.appID = appID
    self.batchID = batchID
    self.contentHash = contentHash
    self.items = items
  }
}

/// Result of storing a batch of identifications.
public enum IdentificationOutcome: Sendable, Equatable {
  /// The batch is new, committed and counted.
  case created
  /// The same batch was stored already; nothing changed.
  case duplicate
  /// The app has used this batch id for other content; nothing changed.
  case conflict
}

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
