// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Bulk decisions, and the numbers that they are about.
public struct BulkStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The data of numbers before a bulk decision, in ascending order.
  /// - Parameters:
  ///   - numbers: in any order.
  ///   - limit: the most numbers; those beyond are left out.
  public func items(_ numbers: [Int64], limit: Int = Bulk.most) async throws -> [BulkItem] {
    let sorted = Array(Set(numbers).sorted().prefix(limit))
    let protected = try await ProtectionStore(pool: pool).load()
    var items: [BulkItem] = []
    for start in stride(from: 0, to: sorted.count, by: Bulk.most) {
      items += try await self.items(sorted: Array(sorted[start..<min(start + Bulk.most, sorted.count)]), protected)
    }
    return items
  }

  private func items(sorted: [Int64], _ protected: ProtectedNumbers) async throws -> [BulkItem] {
    // One statement after the other: a decision that is made between two of them is found when the bulk is stored.
    let items = try await pool.withConnection { connection in
      var items = Dictionary(
        uniqueKeysWithValues: sorted.map { ($0, BulkItem(number: $0, heat: 0, isPublished: false)) })
      for row in try await connection.run(SQL.readStandingDecisionsOf(numbers: sorted)) {
        items[row.number]?.standing = row
      }
      for row in try await connection.run(SQL.readDecidersOf(numbers: sorted)) {
        items[row.number]?.decidedBy = row.account
      }
      for row in try await connection.run(SQL.countDecisionsOf(numbers: sorted)) {
        items[row.number]?.decisionCount = row.count
      }
      for row in try await connection.run(SQL.readHeats(numbers: sorted)) { items[row.number]?.heat = row.heat }
      for row in try await connection.run(SQL.readComplaints(numbers: sorted)) {
        items[row.number]?.category = row.hottest
        items[row.number]?.reporters = row.reporters
      }
      for row in try await connection.run(SQL.readClaims(numbers: sorted)) {
        items[row.number]?.level = row.level
        items[row.number]?.claim = row.claim
        items[row.number]?.isRangeCase = row.isOfRange
      }
      for number in try await connection.run(SQL.findListed(numbers: sorted)) { items[number]?.isPublished = true }
      for number in try await connection.run(SQL.findHeld(numbers: sorted)) { items[number]?.isHeld = true }
      for number in try await connection.run(SQL.findAppealed(numbers: sorted)) { items[number]?.isAppealed = true }
      for number in try await connection.run(SQL.findNamedNumbers(numbers: sorted)) {
        items[number]?.blockRule.isNamed = true
      }
      return items
    }
    return sorted.compactMap { number in
      guard var item = items[number] else { return nil }
      item.blockRule.hasProtectedNeighbour = protected.hasNeighbour(of: number)
      item.protection = protected.rule(for: item.number)
      if item.protection == nil, PhoneNumber(digits: item.number)?.isPossible != true {
        item.protection = .invalidNumber
      }
      return item
    }
  }

  /// Interrupted bulks that the worker may finish, the newest first: their own, or all for administrators.
  /// - Parameter limit: the most bulks, at least 1.
  public func unfinished(for worker: Actor, limit: Int = 10) async throws -> [BulkRun] {
    guard let statement = SQL.readUnfinishedBulks(for: worker, limit: limit) else { return [] }
    return try await Self.counted(try await pool.run(statement), pool: pool)
  }

  /// Adds the number of decisions that each bulk has made.
  static func counted(_ runs: [BulkRun], pool: PostgresPool) async throws -> [BulkRun] {
    var runs = runs
    guard !runs.isEmpty else { return [] }
    let counts = Dictionary(
      try await pool.run(
        """
        SELECT bulk_id, count(*) FROM bulk_decisions WHERE bulk_id = ANY($1::uuid[]) GROUP BY bulk_id ORDER BY bulk_id
        """,
        runs.map(\.id)
      ) { (try $0.decode(0, as: UUID.self), Int(try $0.decode(1, as: Int64.self))) }
    ) { first, _ in first }
    for index in runs.indices { runs[index].decisions = counts[runs[index].id] ?? 0 }
    return runs
  }

  /// A bulk's progress, from counts: a poll reads no rows. Once the bulk is finished, ``find(_:)`` adds the numbers that it
  /// left out. Nil when there is none of this id.
  public func progress(_ id: UUID) async throws -> BulkRun? {
    guard var run = try await pool.run(SQL.readBulkProgress(id: id)).first else { return nil }
    run = try await Self.counted([run], pool: pool)[0]
    run.undone = try await pool.run(SQL.countUndoneOf(bulk: id)).first ?? 0
    let mayHaveLeft = run.isFinished && run.undoneBy == nil && !run.isBeingUndone && run.decisions < run.numbers
    return mayHaveLeft ? try await find(id) : run
  }

  public func find(_ id: UUID) async throws -> BulkRun? {
    guard var run = try await pool.run(SQL.readBulk(id: id)).first else { return nil }
    let made = Set(try await pool.run(SQL.readBulkDecisions(bulk: id)).map(\.number))
    run.decisions = made.count
    run.left = run.chosenNumbers.filter { !made.contains($0) }
    run.undone = try await pool.run(SQL.countUndoneOf(bulk: id)).first ?? 0
    return run
  }
}
