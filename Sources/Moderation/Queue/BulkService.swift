// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PostgreSQL
package import Storage

/// Bulk decisions: made together and undone together.
package struct BulkService: Sendable {
  let pool: PostgresPool
  private let reviews: ReviewPolicy

  /// Decisions of one transaction.
  private static let step = 50

  package init(pool: PostgresPool, reviews: ReviewPolicy = .standard) {
    self.pool = pool
    self.reviews = reviews
  }

  package func areReviewsOn() async throws -> Bool {
    try await pool.run(SQL.readReviewActivation()).first?.isOn == true
  }

  /// The count of the bulk's decisions whose reach asks for the confirmation of a second person. Decisions of the random
  /// sample are not counted, so that their author does not know about it. Zero while reviews are off.
  package func reviewed(_ bulk: Bulk, _ items: [BulkItem]) async throws -> Int {
    guard try await areReviewsOn() else { return 0 }
    return items.count { $0.isOpen(to: bulk) && reviews.hasReach(bulk.values(of: $0.number).treatment, $0.allowRule) }
  }

  /// Makes a decision about each of the items, some in each transaction. Safe to call again: an interrupted bulk
  /// continues, and finished decisions stay.
  ///
  /// A number is left out when it was decided or appealed since the items were read, and for each ``BulkItem/Omission``.
  /// Nothing more is done once the bulk is undone.
  /// - Parameter onProgress: receives the count of processed numbers after each transaction.
  /// - Returns: the numbers that were left out.
  /// - Throws: `RuleViolation`, with nothing done; `PostgresError`.
  package func apply(
    _ bulk: Bulk, to items: [BulkItem], onProgress: @Sendable (Int) -> Void = { _ in }
  ) async throws -> [Int64] {
    try bulk.check(items)
    let left = try await decide(bulk, items, onProgress)
    _ = try await pool.retrying { try await $0.run(SQL.finishBulk(id: bulk.id)) }
    return left
  }

  /// Stores a heartbeat of a bulk whose next batch is still computed, so that it does not count as interrupted.
  package func storeHeartbeat(of id: UUID) async throws {
    _ = try await pool.retrying { try await $0.run(SQL.holdBulk(id: id)) }
  }

  private func decide(
    _ bulk: Bulk, _ items: [BulkItem], _ onProgress: @Sendable (Int) -> Void = { _ in }
  ) async throws -> [Int64] {
    try await storeHeartbeat(of: bulk.id)
    let items = items.sorted { $0.number < $1.number }
    let allowed = items.filter { $0.isOpen(to: bulk) }
    let decisions = try allowed.map { (decision: try bulk.decision(of: $0.number), standing: $0.standing?.decisionID) }
    guard !decisions.isEmpty else { return items.map(\.number) }
    _ = try await pool.retrying { try await $0.run(SQL.addBulk(bulk: bulk, items: allowed)) }
    var left = Set(items.map(\.number)).subtracting(allowed.map(\.number))
    for start in stride(from: 0, to: decisions.count, by: Self.step) {
      let some = Array(decisions[start..<min(start + Self.step, decisions.count)])
      let stale = try await pool.change(at: bulk.decidedAt) { connection in
        guard try await !connection.run(SQL.holdBulk(id: bulk.id)).isEmpty else {
          return .none(some.map(\.decision.number))
        }
        var events: [AuditEvent] = []
        // A failed decision has changed nothing, so the others of the transaction stay.
        let outcomes = try await connection.record(
          some.map { ($0.decision, .this($0.standing)) }, role: bulk.worker.role, answersAppeals: false,
          reviews: reviews, &events)
        var pipeline = PostgresPipeline()
        var stale: [Int64] = []
        for (decision, outcome) in zip(some.map(\.decision), outcomes) {
          guard case .success = outcome else {
            stale.append(decision.number)
            continue
          }
          pipeline.add(SQL.addBulkDecision(bulk: bulk.id, number: decision.number, decision: decision.id))
        }
        if !pipeline.isEmpty { _ = try await connection.run(pipeline) }
        return .made(events, stale)
      }
      left.formUnion(stale)
      onProgress(min(start + Self.step, decisions.count))
    }
    return left.sorted()
  }

  /// Finishes an interrupted bulk in the name of `worker`. Numbers that were decided, or whose decision was undone,
  /// since it started are left out. Nothing happens where the bulk is finished or was undone. Safe to call again.
  /// - Returns: false where there is no bulk of this id.
  package func finish(_ id: UUID, by worker: Actor, at time: Date) async throws -> Bool {
    guard let run = try await pool.run(SQL.readBulk(id: id)).first else { return false }
    guard !run.isFinished, run.undoneBy == nil else { return true }
    try await storeHeartbeat(of: id)
    let made = Set(try await pool.run(SQL.readBulkDecisions(bulk: id)).map(\.number))
    let rest = run.chosenNumbers.filter { !made.contains($0) }
    let items = try await BulkStore(pool: pool).items(rest, limit: Bulk.maxRows).filter { !run.isOvertaken(at: $0) }
    var bulk = Bulk(
      id: id, treatment: run.treatment, label: run.label, category: run.category, reason: run.reason, worker: worker,
      decidedAt: time, expiresAt: run.expiresAt,
      // The stored numbers are those that were to be decided.
      replacesDecisions: true)
    bulk.values = run.rowDecisions?.values(of: run.chosenNumbers) ?? [:]
    let left = try await decide(bulk, items)
    try await pool.change(at: time) { connection in
      // Nothing is recorded where somebody else has finished or undone it.
      guard try await !connection.run(SQL.finishBulk(id: id)).isEmpty else { return .none }
      return .made(
        worker.did(
          .bulkFinish, to: "bulk \(id.uuidString.lowercased())", before: ["decisions": "\(made.count)"],
          after: ["decisions": "\(made.count + items.count - left.count)"], because: run.reason))
    }
    return true
  }

  /// Undoes every decision of a bulk that was not undone singly. Safe to call again.
  /// - Returns: the number of decisions that this bulk's undoing has undone, now or in an earlier call.
  package func undo(_ id: UUID, by worker: Actor, at time: Date) async throws -> Int {
    let decisions = try await pool.run(SQL.readBulkDecisions(bulk: id))
    var count = try await undo(decisions, of: id, by: worker, at: time)
    _ = try await pool.retrying { try await $0.run(SQL.undoBulk(id: id, account: worker.name, time: time)) }
    // Decisions that were made before the bulk was marked as undone.
    let known = Set(decisions.map(\.number))
    let late = try await pool.run(SQL.readBulkDecisions(bulk: id)).filter { !known.contains($0.number) }
    count += try await undo(late, of: id, by: worker, at: time)
    return count
  }

  /// - Parameter id: of the bulk, whose heartbeat shows that the undoing goes on.
  private func undo(
    _ decisions: [(number: Int64, decision: UUID)], of id: UUID, by worker: Actor, at time: Date
  ) async throws -> Int {
    var count = 0
    for start in stride(from: 0, to: decisions.count, by: Self.step) {
      let some = decisions[start..<min(start + Self.step, decisions.count)]
      count += try await pool.change(at: time) { connection in
        let undoings = try some.map { number, decision in
          let undoing = try Decision(
            id: Bulk.id(bulk: decision, number: number), number: number, treatment: .allow, decidedBy: worker.name,
            decidedAt: time)
          return (decision: decision, undoing: undoing)
        }
        _ = try await connection.run(SQL.holdBulk(id: id))
        var events: [AuditEvent] = []
        let outcomes = try await connection.undo(undoings, role: worker.role, &events)
        return .made(events, outcomes.count { $0 == .undone })
      }
    }
    return count
  }
}
