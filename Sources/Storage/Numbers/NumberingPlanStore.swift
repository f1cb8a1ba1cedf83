// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
public import PhoneNumbers
public import PostgreSQL
import Support

/// The numbering plans of a database, which replace older ones that are built into a program.
public struct NumberingPlanStore: Sendable {
  /// The interval at which servers look for newer plans.
  package static let interval = Duration.seconds(30)

  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Stores plans that are newer than the stored ones, with an audit event, and reads numbers by them. Of two calls at once the
  /// one with the newer plans wins.
  /// - Parameter content: the file that `plans` were made from.
  /// - Returns: false where the stored plans are as new or newer; nothing changes then.
  public func replace(_ plans: NumberingPlans, content: [UInt8], by actor: Actor, at time: Date) async throws -> Bool {
    let isNewer = try await store(plans, content, by: actor, at: time, attempts: 5)
    try await use()
    return isNewer
  }

  /// Another call may store plans between reading the version and writing: then the versions are compared again.
  private func store(
    _ plans: NumberingPlans, _ content: [UInt8], by actor: Actor, at time: Date, attempts: Int
  ) async throws -> Bool {
    let isStored: Bool? = try await pool.change(at: time) { connection in
      let former = try await connection.run(SQL.readNumberingVersion()).first
      if let former, let version = NumberingPlans.Version(former), version >= plans.version {
        return .none(false)
      }
      let stored = try await connection.runReportingCount(
        SQL.storeNumberingPlans(
          version: plans.version.description, content: content, time: time, former: former))
      guard stored > 0 else { return .none(nil) }
      let event = actor.did(
        .numberingUpdate, to: plans.version.description, before: former.map { ["version": $0] } ?? [:],
        after: ["version": plans.version.description])
      return .made(event, true)
    }
    if let isStored { return isStored }
    guard attempts > 1 else { return false }
    return try await store(plans, content, by: actor, at: time, attempts: attempts - 1)
  }

  /// Reads numbers by the stored plans, if they are newer than the current ones, and ends the holds of numbers that the
  /// current plans have.
  public func refresh(at time: Date) async throws {
    try await use()
    try await HoldStore(pool: pool).endAssigned(at: time)
  }

  /// Reads numbers by the stored plans, if they are newer than the current ones.
  public func use() async throws {
    guard let stored = try await pool.run(SQL.readNumberingVersion()).first,
      let version = NumberingPlans.Version(stored), version > NumberingPlans.current.version,
      let content = try await pool.run(SQL.readNumberingContent()).first
    else { return }
    NumberingPlans.current = try NumberingPlans(bytes: content)
  }

  /// Passes on the stored numbers that the current plans do not have, ascending, in batches.
  public func forEachInvalid(_ body: ([Int64]) async throws -> Void) async throws {
    var last: Int64 = 0
    while true {
      try Task.checkCancellation()
      let numbers = try await pool.run(SQL.readNumbers(after: last, limit: 10_000))
      guard let end = numbers.last else { return }
      let invalid = numbers.filter { PhoneNumber(digits: $0)?.isValid != true }
      if !invalid.isEmpty { try await body(invalid) }
      last = end
    }
  }
}

extension SQL {
  static func readNumberingVersion() -> Statement<String> {
    Statement("SELECT version FROM numbering_plans WHERE id = 1")
  }

  static func readNumberingContent() -> Statement<[UInt8]> {
    Statement("SELECT content FROM numbering_plans WHERE id = 1")
  }

  /// Stores plans; changes nothing where another transaction has stored others since.
  /// - Parameter former: the version that they replace; nil for none.
  static func storeNumberingPlans(
    version: String, content: [UInt8], time: Date, former: String?
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO numbering_plans AS p (id, version, content, stored_at) VALUES (1, $1, $2, $3)
      ON CONFLICT (id) DO UPDATE SET
        version = excluded.version, content = excluded.content, stored_at = excluded.stored_at
      WHERE p.version = $4
      """,
      version, content, time, former)
  }

  /// Some numbers with reports, ascending.
  static func readNumbers(after: Int64, limit: Int) -> Statement<Int64> {
    Statement("SELECT number FROM numbers WHERE number > $1 ORDER BY number LIMIT $2::bigint", after, Int64(limit)) {
      try $0.decode(0)
    }
  }
}
