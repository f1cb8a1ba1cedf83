// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
import PostgreSQL
package import Storage

/// The decisions of a file before they are made: the numbers that can be decided, and the rows that cannot.
package struct BulkPlan: Sendable {
  package let bulk: Bulk
  package let items: [BulkItem]
  /// The rows that it leaves out, in the order of the file.
  package let problems: [DecisionRowProblem]
}

extension BulkService {
  /// Compares the rows of a file with the state of their numbers. Nothing is stored.
  /// - Parameters:
  ///   - rows: each number once, at most ``Bulk/maxRows``.
  ///   - id: the same for every retry.
  ///   - isReplacing: whether decisions in force are replaced.
  ///   - isConfirmed: whether numbers that `BlockRule` guards may be blocked.
  /// - Returns: nil for a file without rows.
  package func plan(
    _ rows: [DecisionRow], id: UUID, by worker: Actor, isReplacing: Bool, isConfirmed: Bool, at time: Date
  ) async throws -> BulkPlan? {
    guard let first = rows.first?.values else { return nil }
    var bulk = Bulk(
      id: id, treatment: first.treatment, label: first.label, category: first.category, reason: first.reason,
      worker: worker, decidedAt: time, expiresAt: first.expiresAt, replacesDecisions: isReplacing)
    bulk.values = Dictionary(rows.map { ($0.number, $0.values) }) { first, _ in first }
    let found = try await BulkStore(pool: pool).items(rows.map(\.number), limit: Bulk.maxRows)
    let items = Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
    var problems: [DecisionRowProblem] = []
    for row in rows {
      guard let item = items[row.number], let violation = item.violation(of: bulk, isConfirmed) else { continue }
      let value = violation.field == "number" ? "+\(row.number)" : row.values.reason ?? ""
      problems.append(DecisionRowProblem(line: row.line, value: value, violation))
    }
    let wrong = Set(problems.map(\.line))
    let right = rows.filter { !wrong.contains($0.line) }.compactMap { items[$0.number] }
    return BulkPlan(bulk: bulk, items: right.sorted { $0.number < $1.number }, problems: problems)
  }

  /// Stores a bulk decision before it is made, so that it can be found, finished and undone.
  /// - Returns: false where the id belongs to a different plan.
  package func store(_ plan: BulkPlan) async throws -> Bool {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.addBulk(bulk: plan.bulk, items: plan.items))
      return try await connection.run(SQL.readBulk(id: plan.bulk.id)).first?.isOf(plan) == true
    }
  }
}

extension BulkRun {
  /// Whether the stored decisions are some of a file's: of its numbers, with the same values.
  fileprivate func isOf(_ plan: BulkPlan) -> Bool {
    isOf(plan.bulk.values.map { DecisionRow(line: 0, number: $0, values: $1) }, by: account, at: plan.bulk.decidedAt)
      && account == plan.bulk.worker.name
  }

  /// Whether an account sends the rows of the stored decisions again. A retry may have further rows, which were left out.
  /// - Parameter time: the time from which the rows expire.
  package func isOf(_ rows: [DecisionRow], by account: String, at time: Date) -> Bool {
    let stored = rowDecisions?.values(of: chosenNumbers) ?? [:]
    let sent = Dictionary(rows.map { ($0.number, $0.values) }) { first, _ in first }
    return account == self.account && !stored.isEmpty
      && stored.allSatisfy { number, values in
        guard var other = sent[number] else { return false }
        let lifetimes = (
          Decision.lifetime(from: decidedAt, to: values.expiresAt), Decision.lifetime(from: time, to: other.expiresAt)
        )
        other.expiresAt = values.expiresAt
        return other == values && lifetimes.0 == lifetimes.1
      }
  }
}

extension BulkItem {
  /// The rule that keeps a bulk from deciding the number; nil where it can.
  fileprivate func violation(of bulk: Bulk, _ isConfirmed: Bool) -> RuleViolation? {
    switch omission(for: bulk.worker, replacing: bulk.replacesDecisions, at: bulk.decidedAt) {
    case .withheld: return RuleViolation(.caseWithheld, field: "number")
    case .appealed: return RuleViolation(.appealOpen, field: "number")
    case .range: return RuleViolation(.rangeOpen, field: "number")
    case .protected where protection == .invalidNumber: return RuleViolation(.numberInvalid, field: "number")
    case .protected: return RuleViolation(.numberProtected, field: "number")
    case .decided: return RuleViolation(.decisionInForce, field: "number")
    case nil: break
    }
    let values = bulk.values(of: number)
    do {
      switch values.treatment {
      case .allow: try allowRule.check(reason: values.reason, role: bulk.worker.role)
      case .block: try blockRule.check(isConfirmed: isConfirmed)
      case .identify: break
      }
      return nil
    } catch {
      return RuleViolation(error.code, field: values.treatment == .allow ? "reason" : "number", most: error.most)
    }
  }
}
