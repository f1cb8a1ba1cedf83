// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PostgreSQL

extension QueueStore {
  /// Marks the cases of numbers as stale: the next round evaluates them again.
  public func recheck(_ numbers: [Int64]) async throws {
    _ = try await pool.run(SQL.recheckCases(numbers))
  }

  /// Passes a case on: it is free again for all other accounts. The third account that passes it on raises it by a
  /// level.
  /// - Returns: whether the number has a case.
  public func pass(_ number: Int64, by worker: QueueWorker, at time: Date) async throws -> Bool {
    let event = worker.event("case.pass", number)
    return try await pool.transaction { connection in
      guard let item = try await connection.run(SQL.readCase(number: number)).first else { return false }
      let isNew = try await !connection.run(SQL.readPasses(number: number)).contains(worker.account)
      let passes = try await connection.run(SQL.passCase(number: number, account: worker.account, time: time))[0]
      let isRaised = isNew && passes.isMultiple(of: QueueRule.passesThatRaise)
      let level = min(2, item.level + (isRaised ? 1 : 0))
      _ = try await connection.run(SQL.raiseCase(number: number, account: worker.account, level: level))
      _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
      return true
    }
  }

  /// Escalates a case to the level above the worker's: from then on it is shown only to that level and above, with
  /// higher urgency.
  /// - Parameter reason: the reason; nil where none was given.
  /// - Returns: false where there is no case, it has a higher level already, or there is no higher level.
  public func escalate(
    _ number: Int64, by worker: QueueWorker, reason: String? = nil, at time: Date
  ) async throws -> Bool {
    let level = worker.level + 1
    guard level <= 2 else { return false }
    let eventID = UUID()
    return try await pool.transaction { connection in
      guard let item = try await connection.run(SQL.readCase(number: number)).first, item.level < level else {
        return try await connection.hasMade(eventID, at: time)
      }
      _ = try await connection.run(SQL.raiseCase(number: number, account: worker.account, level: level))
      let event = worker.event(
        "case.escalate", number, id: eventID, before: ["level": "\(item.level)"], after: ["level": "\(level)"],
        reason: reason)
      _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
      return true
    }
  }
}

extension SQL {
  /// Marks the cases of numbers as stale: the next round evaluates them again.
  /// - Parameter numbers: in any order; numbers without a case are ignored.
  static func recheckCases(_ numbers: [Int64]) -> Statement<Void> {
    Statement("UPDATE queue SET stale = true, version = version + 1 WHERE number = ANY($1::bigint[])", numbers.sorted())
  }
}
