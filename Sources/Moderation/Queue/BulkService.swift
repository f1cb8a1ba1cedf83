// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
package import PostgreSQL
package import Storage

/// Bulk decisions: made together and undone together.
package struct BulkService: Sendable {
  private let pool: PostgresPool
  private let reviews: ReviewPolicy

  /// Decisions of one transaction.
  private static let step = 50

  /// - Parameters:
  ///   - pool: where decisions are kept.
  ///   - reviews: the decisions that another moderator reviews.
  package init(pool: PostgresPool, reviews: ReviewPolicy = .standard) {
    self.pool = pool
    self.reviews = reviews
  }

  /// The count of the bulk's decisions whose reach asks for the confirmation of a second person. Decisions of the random
  /// sample are not counted, so that their author does not know about it.
  package func reviewed(_ bulk: Bulk, _ items: [BulkItem]) -> Int {
    items.count { $0.isOpen(to: bulk) && reviews.hasReach(bulk.treatment, $0.allowRule) }
  }

  /// Makes a decision about each of the items, some in each transaction. Safe to call again: an interrupted bulk
  /// continues, and finished decisions stay.
  ///
  /// A number is left out when it was decided since the items were read, when the worker may not decide it, when an
  /// appeal about it is open, or when it is protected and not allowed. Nothing more is done once the bulk is undone.
  /// - Returns: the numbers that were left out.
  /// - Throws: `RuleViolation`, with nothing done; `PostgresError`.
  package func apply(_ bulk: Bulk, to items: [BulkItem]) async throws -> [Int64] {
    try bulk.check(Array(items.prefix(Bulk.most)))
    let left = try await decide(bulk, items)
    _ = try await pool.retrying { try await $0.run(SQL.finishBulk(id: bulk.id, time: bulk.decidedAt)) }
    return left
  }

  private func decide(_ bulk: Bulk, _ items: [BulkItem]) async throws -> [Int64] {
    let items = items.sorted { $0.number < $1.number }.prefix(Bulk.most)
    let allowed = items.filter { $0.isOpen(to: bulk) }
    let decisions = try allowed.map { (decision: try bulk.decision(of: $0.number), standing: $0.standing?.decisionID) }
    guard !decisions.isEmpty else { return items.map(\.number) }
    _ = try await pool.retrying { try await $0.run(SQL.addBulk(bulk: bulk, items: allowed)) }
    var left = Set(items.map(\.number)).subtracting(allowed.map(\.number))
    for start in stride(from: 0, to: decisions.count, by: Self.step) {
      let some = decisions[start..<min(start + Self.step, decisions.count)]
      let stale = try await pool.transaction { connection in
        guard try await !connection.run(SQL.holdBulk(id: bulk.id)).isEmpty else {
          return some.map(\.decision.number)
        }
        var stale: [Int64] = []
        for (decision, standing) in some {
          guard try await connection.take(decision, of: bulk, expecting: standing, reviews: reviews) else {
            stale.append(decision.number)
            continue
          }
        }
        return stale
      }
      left.formUnion(stale)
    }
    return left.sorted()
  }

  /// Finishes an interrupted bulk in the name of `worker`. Numbers that were decided, or whose decision was undone,
  /// since it started are left out. Nothing happens where the bulk is finished or was undone. Safe to call again.
  /// - Returns: false where there is no bulk of this id.
  package func finish(_ id: UUID, by worker: QueueWorker, at time: Date) async throws -> Bool {
    guard let run = try await pool.run(SQL.readBulk(id: id)).first else { return false }
    guard !run.isFinished, run.undoneBy == nil else { return true }
    let made = Set(try await pool.run(SQL.readBulkDecisions(bulk: id)).map(\.number))
    let rest = run.chosenNumbers.filter { !made.contains($0) }
    let items = try await BulkStore(pool: pool).items(rest).filter { !run.isOvertaken(at: $0) }
    let bulk = Bulk(
      id: id, treatment: run.treatment, label: run.label, category: run.category, reason: run.reason, worker: worker,
      decidedAt: time, expiresAt: run.expiresAt)
    let left = try await decide(bulk, items)
    let event = AuditEvent(
      actor: worker.account, role: worker.role, action: "bulk.finish",
      subject: "bulk \(id.uuidString.lowercased())",
      before: ["decisions": "\(made.count)"], after: ["decisions": "\(made.count + items.count - left.count)"],
      reason: run.reason)
    try await pool.transaction { connection in
      // Nothing is recorded where somebody else has finished or undone it.
      guard try await !connection.run(SQL.finishBulk(id: id, time: time)).isEmpty else { return }
      _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
    }
    return true
  }

  /// Undoes every decision of a bulk that was not undone singly. Safe to call again.
  /// - Returns: the number of decisions that this bulk's undoing has undone, now or in an earlier call.
  package func undo(_ id: UUID, by worker: QueueWorker, at time: Date) async throws -> Int {
    let decisions = try await pool.run(SQL.readBulkDecisions(bulk: id))
    var count = try await undo(decisions, by: worker, at: time)
    _ = try await pool.retrying { try await $0.run(SQL.undoBulk(id: id, account: worker.account, time: time)) }
    // Decisions that were made before the bulk was marked as undone.
    let known = Set(decisions.map(\.number))
    let late = try await pool.run(SQL.readBulkDecisions(bulk: id)).filter { !known.contains($0.number) }
    count += try await undo(late, by: worker, at: time)
    return count
  }

  private func undo(
    _ decisions: [(number: Int64, decision: UUID)], by worker: QueueWorker, at time: Date
  ) async throws -> Int {
    var count = 0
    for start in stride(from: 0, to: decisions.count, by: Self.step) {
      let some = decisions[start..<min(start + Self.step, decisions.count)]
      count += try await pool.transaction { connection in
        var undone = 0
        for (number, decision) in some {
          let undoing = try Decision(
            id: Bulk.id(bulk: decision, number: number), number: number, treatment: .allow, decidedBy: worker.account,
            decidedAt: time)
          if try await connection.undo(decision, as: undoing, role: worker.role) == .undone { undone += 1 }
        }
        return undone
      }
    }
    return count
  }
}

extension PostgresConnection {
  /// - Returns: false when another decision is in force by now, or the number's state forbids the decision by now.
  fileprivate func take(
    _ decision: Decision, of bulk: Bulk, expecting standing: UUID?, reviews: ReviewPolicy
  ) async throws -> Bool {
    do {
      // A savepoint, so that one stale number does not undo the others.
      try await transaction { connection in
        _ = try await connection.record(
          decision, expecting: .this(standing), role: bulk.worker.role, reviews: reviews)
        _ = try await connection.run(SQL.addBulkDecision(bulk: bulk.id, number: decision.number, decision: decision.id))
      }
      return true
    } catch DecisionError.stale {
      return false
    } catch is RuleViolation {
      return false
    }
  }
}
