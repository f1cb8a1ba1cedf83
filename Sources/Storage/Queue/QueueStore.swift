// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
public import PostgreSQL

/// Cases of the review queue and their claims.
public struct QueueStore: Sendable {
  let pool: PostgresPool

  /// Lifetime of a claim without renewal, in seconds: ten minutes.
  public static let claimLifetime: TimeInterval = 600
  /// Rows on a page.
  public static let pageSize = 50
  /// How many of the most urgent cases ``claimNext(_:skipping:by:at:)`` tries in one round, and the number of rounds.
  private static let (tries, rounds) = (16, 4)

  /// - Parameter pool: where the queue is kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// A page of the queue.
  /// - Parameters:
  ///   - order: the order of the cases.
  ///   - after: the cursor of the page before in this order; nil for the first page.
  ///   - level: cases of a higher level are left out.
  ///   - limit: at least 1.
  public func page(
    _ filter: QueueFilter = QueueFilter(), by order: QueueOrder = .urgency, after: QueuePlace? = nil, level: Int16,
    limit: Int = pageSize, at time: Date
  ) async throws -> [QueueRow] {
    var pipeline = PostgresPipeline()
    // The same plan for every filter: there is only one plan, and planning takes as long as running it.
    pipeline.add(SQL.keepPlans())
    let query = QueueQuery(after: after ?? order.start, filter: filter, level: level, time: time, limit: limit)
    let rows = pipeline.add(SQL.readQueue(query, by: order))
    return try await pool.snapshot(pipeline).rows(rows)
  }

  /// Number of cases, by everything that can be filtered.
  public func queueCounts(at time: Date) async throws -> QueueTotals {
    QueueTotals(groups: try await pool.run(SQL.countQueue(time: time)))
  }

  /// A number's case; nil where it has none.
  public func find(_ number: Int64) async throws -> QueueCase? {
    try await pool.run(SQL.readCase(number: number)).first
  }

  /// Claims a case for a worker.
  /// - Parameter takesOver: whether to replace another account's claim.
  public func claim(
    _ number: Int64, by worker: QueueWorker, id: UUID = UUID(), takesOver: Bool = false, at time: Date
  ) async throws -> ClaimOutcome {
    let claim = SQL.claimCase(number: number, worker: worker, id: id, time: time, takesOver: takesOver)
    if takesOver {
      let mine = try await pool.transaction { connection in
        let before = try await connection.run(SQL.readCase(number: number)).first?.claim
        let mine = try await connection.run(claim).first
        if mine != nil, let before, before.account != worker.account {
          let event = worker.event("case.take_over", number, before: ["claim": before.account])
          _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
        }
        return mine
      }
      return mine.map { .claimed($0) } ?? .notWaiting
    }
    if let mine = try await commitSoon(claim).first { return .claimed(mine) }
    return try await find(number).map { .taken($0) } ?? .notWaiting
  }

  /// Claims a case that is free.
  /// - Returns: nil when somebody else has claimed it, when its level is too high, or when there is no case.
  public func take(_ number: Int64, by worker: QueueWorker, at time: Date) async throws -> QueueCase? {
    let claim = SQL.claimCase(number: number, worker: worker, id: UUID(), time: time, takesOver: false)
    return try await commitSoon(claim).first
  }

  /// Claims the most urgent free case that the worker has not passed on. Two simultaneous calls get different cases.
  /// - Parameter skipped: cases that are left out as long as there are others.
  /// - Returns: nil when there is no such case.
  public func claimNext(
    _ filter: QueueFilter = QueueFilter(), skipping skipped: [Int64] = [], by worker: QueueWorker, at time: Date
  ) async throws -> QueueCase? {
    var skipped = skipped
    for _ in 0..<Self.rounds {
      let find = SQL.findOpenCases(skipped: skipped, worker: worker, filter: filter, time: time, limit: Self.tries)
      let open = try await pool.withConnection { try await $0.pipeline(SQL.keepPlans(), find).1 }
      for number in open {
        if let mine = try await take(number, by: worker, at: time) { return mine }
      }
      if open.isEmpty {
        if skipped.isEmpty { return nil }
        skipped = []
      }
    }
    return nil
  }

  /// Runs a statement without waiting for the disk. A lost claim does no harm: after a crash of the database moderators
  /// start again, and the decision's version prevents two decisions from overwriting each other.
  private func commitSoon<Row>(_ statement: Statement<Row>) async throws -> [Row] {
    try await pool.withConnection { try await $0.pipeline(SQL.commitSoon(), statement).1 }
  }

  /// Renews a claim for another ``claimLifetime``.
  /// - Returns: false when somebody else has claimed the case by now, or it is settled.
  public func renew(_ number: Int64, account: String, at time: Date) async throws -> Bool {
    let renew = SQL.renewClaim(number: number, account: account, time: time)
    return try await !commitSoon(renew).isEmpty
  }

  /// Releases a claim.
  /// - Parameter claim: the claim of the page that is closed; another claim of the same account stays.
  public func release(_ number: Int64, claim: UUID, account: String) async throws {
    let release = SQL.releaseClaim(number: number, account: account, id: claim)
    _ = try await commitSoon(release)
  }

  /// The accounts that passed a number's case on.
  public func passes(of number: Int64) async throws -> [String] {
    try await pool.run(SQL.readPasses(number: number))
  }
}
