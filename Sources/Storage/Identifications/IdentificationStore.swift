// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// Counts of identified calls by number and day, and the decayed heat that ranks the numbers.
public struct IdentificationStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: the pool of the database with the counts.
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

  /// A number's counts; nil when it never rang.
  public func counts(of number: Int64, at time: Date) async throws -> IdentificationCounts? {
    try await pool.run(SQL.readIdentifications(number: number, time: time)).first
  }

  /// The numbers that ring most phones, hottest first.
  /// - Parameter limit: at least 1.
  public func hottest(at time: Date, limit: Int) async throws -> [IdentificationCounts] {
    try await pool.run(SQL.readMostIdentified(time: time, limit: limit))
  }
}

/// The identity of a batch, the same for every retry.
struct BatchName: Hashable, Sendable {
  let appID: Int32
  let batchID: UUID
}
