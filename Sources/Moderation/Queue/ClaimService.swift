// SPDX-License-Identifier: Apache-2.0

import Curation
package import Foundation
package import PostgreSQL
package import Storage

/// Claims cases for moderators, passes them on and escalates them.
package struct ClaimService: Sendable {
  private let pool: PostgresPool

  /// Lifetime of a claim without renewal, in seconds: ten minutes.
  package static let lifetime: TimeInterval = 600
  /// How many of the most urgent cases ``claimNext(_:skipping:by:at:)`` tries in one round, and the number of rounds.
  private static let (tries, rounds) = (16, 4)

  package init(pool: PostgresPool) {
    self.pool = pool
  }

  /// - Parameter takesOver: whether to replace another account's claim.
  package func claim(
    _ number: Int64, by worker: Actor, id: UUID = UUID(), takesOver: Bool = false, at time: Date
  ) async throws -> ClaimOutcome {
    let claim = SQL.claimCase(
      number: number, worker: worker, id: id, time: time, until: time + Self.lifetime, takesOver: takesOver)
    if takesOver {
      let mine = try await pool.change(at: time) { connection in
        let before = try await connection.run(SQL.readCase(number: number)).first?.claim
        let mine = try await connection.run(claim).first
        guard mine != nil, let before, before.account != worker.name else { return .none(mine) }
        return .made(worker.did(.caseTakeOver, to: number, before: ["claim": before.account]), mine)
      }
      return mine.map { .claimed($0) } ?? .notWaiting
    }
    if let mine = try await commitSoon(claim).first { return .claimed(mine) }
    return try await pool.run(SQL.readCase(number: number)).first.map { .taken($0) } ?? .notWaiting
  }

  /// Claims a case that is free.
  /// - Returns: nil when somebody else has claimed it, when its level is too high, or when there is no case.
  package func take(_ number: Int64, by worker: Actor, at time: Date) async throws -> QueueCase? {
    let claim = SQL.claimCase(
      number: number, worker: worker, id: UUID(), time: time, until: time + Self.lifetime, takesOver: false)
    return try await commitSoon(claim).first
  }

  /// Claims the most urgent free case that the worker has not passed on. Two simultaneous calls get different cases.
  /// - Parameter skipped: cases that are left out as long as there are others.
  /// - Returns: nil when there is no such case.
  package func claimNext(
    _ filter: QueueFilter = QueueFilter(), skipping skipped: [Int64] = [], by worker: Actor, at time: Date
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

  /// Renews a claim for another ``lifetime``.
  /// - Returns: false when somebody else has claimed the case by now, or it is settled.
  package func renew(_ number: Int64, account: String, at time: Date) async throws -> Bool {
    let renew = SQL.renewClaim(number: number, account: account, until: time + Self.lifetime, time: time)
    return try await !commitSoon(renew).isEmpty
  }

  /// - Parameter claim: the claim of the page that is closed; another claim of the same account stays.
  package func release(_ number: Int64, claim: UUID, account: String) async throws {
    let release = SQL.releaseClaim(number: number, account: account, id: claim)
    _ = try await commitSoon(release)
  }

  /// Passes a case on: it is free again for all other accounts. The third account that passes it on raises it by a
  /// level.
  /// - Parameters:
  ///   - id: of the event, by which the skip is taken back.
  ///   - input: the form's `label`, `answer` and `note`, for the accounts that open the case next.
  /// - Returns: whether the number has a case.
  package func pass(
    _ number: Int64, by worker: Actor, id: UUID = .inOrder(), reason: String? = nil, input: [String: String] = [:],
    at time: Date
  ) async throws -> Bool {
    try await pool.change(at: time) { connection in
      guard let item = try await connection.run(SQL.readCase(number: number)).first else { return .none(false) }
      let isNew = try await !connection.run(SQL.readPasses(number: number)).contains(worker.name)
      let passes = try await connection.run(SQL.passCase(number: number, account: worker.name, time: time))[0]
      let isRaised = isNew && passes.isMultiple(of: QueueRule.passesThatRaise)
      let level = min(2, item.level + (isRaised ? 1 : 0))
      let raise = SQL.raiseCase(number: number, account: worker.name, level: level, colleague: nil)
      guard let raised = try await connection.run(raise).first else { return .none(false) }
      let event = worker.did(
        .casePass, to: number, id: id, before: Self.state(item.level, item.assignedTo),
        after: Self.state(raised.level, raised.assignedTo), because: reason)
      // With the case, and not with the audit log, which keeps it.
      _ = try await connection.run(SQL.keepDraft(number: number, draft: input))
      return .made(event, true)
    }
  }

  private static func state(_ level: Int16, _ colleague: String?) -> [String: String] {
    var state = ["level": "\(level)"]
    state["assigned_to"] = colleague
    return state
  }

  /// Takes the worker's skip or escalation back, if nobody has passed the case on or decided since.
  /// - Parameter id: the event of the skip or escalation.
  package func takeBack(_ id: UUID, of number: Int64, by worker: Actor, at time: Date) async throws -> Bool {
    try await pool.change(at: time) { connection in
      guard let last = try await connection.run(SQL.readHandover(number: number)).first, last.id == id,
        last.kind != .takeBack, last.account == worker.name,
        let level = Int16(last.after["level"] ?? ""), let former = Int16(last.before["level"] ?? "")
      else { return .none(false) }
      let (colleague, formerColleague) = (last.after["assigned_to"], last.before["assigned_to"])
      let back = SQL.returnCase(
        number: number, account: worker.name, from: level, colleague, to: former, formerColleague)
      guard try await !connection.run(back).isEmpty else { return .none(false) }
      // An earlier skip of the account still counts, unless it was taken back, too.
      if last.kind == .pass {
        _ = try await connection.run(SQL.forgetPass(number: number, account: worker.name, since: last.time))
      }
      let event = worker.did(
        .caseTakeBack, to: number, before: Self.state(level, colleague), after: Self.state(former, formerColleague))
      return .made(event, true)
    }
  }

  /// Escalates a case to the level above the worker's, or to a colleague: from then on it is shown only to that level
  /// and above, with higher urgency. A case of a colleague is offered to no other account.
  /// - Parameters:
  ///   - name: the colleague's account, with the worker's role or a higher one; nil for the level above.
  ///   - eventID: of the event, by which the escalation is taken back.
  ///   - input: the form's `label`, `answer` and `note`, for the receiver.
  /// - Returns: false where there is no case, it has a higher level already, or there is no such level or colleague.
  package func escalate(
    _ number: Int64, by worker: Actor, to name: String? = nil, id eventID: UUID = .inOrder(), reason: String? = nil,
    input: [String: String] = [:], at time: Date
  ) async throws -> Bool {
    var level = worker.level + 1
    if let name {
      let colleagues = try await pool.run(SQL.readColleagues(account: worker.name))
      guard let role = colleagues.first(where: { $0.name == name })?.role, role >= worker.role else { return false }
      level = Actor(name: name, role: role).level
    }
    guard level <= 2 else { return false }
    return try await pool.change(at: time) { [level] connection in
      guard let item = try await connection.run(SQL.readCase(number: number)).first,
        name != nil ? item.level <= level : item.level < level
      else { return .none(false) }
      let raise = SQL.raiseCase(number: number, account: worker.name, level: level, colleague: name)
      guard let raised = try await connection.run(raise).first else { return .none(false) }
      let event = worker.did(
        .caseEscalate, to: number, id: eventID, before: Self.state(item.level, item.assignedTo),
        after: Self.state(raised.level, raised.assignedTo), because: reason)
      // With the case, and not with the audit log, which keeps it.
      _ = try await connection.run(SQL.keepDraft(number: number, draft: input))
      return .made(event, true)
    }
  }

  /// Runs a statement without waiting for the disk. A lost claim does no harm: after a crash of the database moderators
  /// start again, and the decision's version prevents two decisions from overwriting each other.
  private func commitSoon<Row>(_ statement: Statement<Row>) async throws -> [Row] {
    try await pool.withConnection { try await $0.pipeline(SQL.commitSoon(), statement).1 }
  }
}

package enum ClaimOutcome: Sendable, Equatable {
  case claimed(QueueCase)
  /// Somebody else has claimed the case, or its level is too high for the worker.
  case taken(QueueCase)
  /// The number has no case.
  case notWaiting
}
