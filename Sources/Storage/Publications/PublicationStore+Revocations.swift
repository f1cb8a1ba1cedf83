// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

extension PublicationStore {
  /// Requests that a number is removed or added before the next publication. A running server does so within seconds.
  /// Safe to repeat with the same id.
  public func request(_ revocation: Revocation) async throws {
    try await request([revocation], byProgram: false, at: revocation.requestedAt)
  }

  /// Requests several at once; see ``request(_:)``.
  /// - Parameter time: when all of them were requested.
  func request(_ revocations: [Revocation], byProgram: Bool, at time: Date) async throws {
    // The event has the same id and time as the revocation, so a repeated request is recorded once.
    try await pool.change(at: time) { connection in
      for revocation in revocations { _ = try await connection.run(SQL.requestRevocation(revocation)) }
      return .made(revocations.map { $0.event(byProgram: byProgram) }, ())
    }
  }

  public func hasOpenRevocations() async throws -> Bool {
    try await !pool.run(SQL.readOpenRevocations(limit: 1)).isEmpty
  }

  /// The open revocations, the oldest first.
  /// - Parameter limit: the most that one publication takes.
  public func openRevocations(limit: Int = Revocation.maxTogether) async throws -> [Revocation] {
    try await pool.run(SQL.readOpenRevocations(limit: limit))
  }

  public func outcome(of id: UUID) async throws -> RevocationOutcome? {
    try await pool.run(
      "SELECT serial, settled_at, failure::text FROM revocations WHERE revocation_id = $1",
      id
    ) { row in
      RevocationOutcome(serial: try row.decode(0), settledAt: try row.decode(1), failure: try row.codedIfPresent(2))
    }.first
  }

  /// Settles revocations that cannot be carried out.
  public func refuse(_ revocations: [Revocation], because failure: RevocationFailure, at time: Date) async throws {
    try await pool.retrying { connection in
      _ = try await connection.run(
        SQL.settleRevocations(ids: revocations.map(\.id), serial: nil, failure: failure, time: time))
    }
  }

  /// Settles revocations that a publication has carried out already.
  public func settle(
    _ revocations: [Revocation], placed: [Int64: ListedNumber.Treatment], serial: Int64, at time: Date
  ) async throws {
    try await pool.transaction { connection in
      try await Self.settle(revocations, placed: placed, serial: serial, at: time, on: connection)
    }
  }

  /// Settles revocations with the publication that carried them out, and updates the listings.
  /// - Parameters:
  ///   - placed: the treatment that packs give to the added numbers; none for a number that no pack has room for.
  ///   - dropped: protected numbers that were removed in the same publication.
  ///   - connection: within the transaction that records the publication.
  public static func settle(
    _ revocations: [Revocation], placed: [Int64: ListedNumber.Treatment], dropped: [Int64] = [], serial: Int64,
    at time: Date, on connection: PostgresConnection
  ) async throws {
    _ = try await connection.run(
      SQL.settleRevocations(ids: revocations.map(\.id), serial: serial, failure: nil, time: time))
    // The last revocation of a number counts.
    var last: [Int64: Revocation.Action] = [:]
    for revocation in revocations { last[revocation.number] = revocation.action }
    let removed = last.compactMap { [.remove, .unlist].contains($0.value) ? $0.key : nil }.sorted()
    let added = last.compactMap { number, action -> Listing? in
      guard case .add(let category, _) = action, let treatment = placed[number] else { return nil }
      return Listing(number: number, category: category, cause: .decision, treatment: treatment)
    }.sorted { $0.number < $1.number }
    try await unlist(Set(removed + dropped).sorted(), at: time, on: connection)
    _ = try await connection.run(SQL.listNumbers(listings: added, serial: serial, time: time))
    _ = try await connection.run(SQL.addStatements(numbers: added.map(\.number), serial: serial, time: time))
  }
}

extension PublicationStore {
  /// Numbers that no pack may contain, not even from a directory: numbers whose decision in force is the decision of a
  /// revocation.
  /// - Parameter connection: within the snapshot that is published.
  public static func revokedNumbers(on connection: PostgresConnection) async throws -> Set<Int64> {
    let removals = try await connection.run(SQL.readRemovals())
    guard !removals.isEmpty else { return [] }
    let ids = Set(removals.map(\.id))
    let standing = try await connection.run(
      SQL.readStandingDecisionsOf(numbers: Set(removals.map(\.number)).sorted()))
    return Set(standing.filter { ids.contains($0.decisionID) }.map(\.number))
  }
}

extension Revocation {
  fileprivate func event(byProgram: Bool) -> AuditEvent {
    let after: [String: String] =
      switch action {
      case .remove, .unlist: ["listed": "no"]
      case .add(let category, let label): ["listed": "yes", "category": category.slug, "label": label ?? ""]
      }
    let isRemoval = [.remove, .unlist].contains(action)
    let actor = byProgram ? Actor.program(requestedBy) : Actor.commandLine(requestedBy)
    return actor.did(
      isRemoval ? .publicationRevoke : .publicationAdd, to: number, id: id, after: after, because: reason)
  }
}

/// A number that must be removed from the published packs, or added, before the next publication.
public struct Revocation: Sendable, Equatable {
  public enum Action: Sendable, Equatable {
    /// Remove it from every pack, including directory entries, for as long as the decision of the same id is in force.
    case remove
    /// Remove it from the packs of listed numbers; a directory may still name it.
    case unlist
    /// Add it to the packs of listed numbers, under this category and, where given, this label.
    case add(ReportCategory, label: String?)
  }

  /// The most revocations in one publication.
  public static let maxTogether = 10_000

  /// Chosen by the caller; a repeated request with the same id is ignored.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  public var action: Action
  /// The reason, 1 to 1,000 characters.
  public var reason: String
  /// The requesting account, 1 to 80 characters.
  public var requestedBy: String
  public var requestedAt: Date

  public init(
    id: UUID = UUID(), number: Int64, action: Action = .remove, reason: String, requestedBy: String, requestedAt: Date
  ) {
    self.id = id
    self.number = number
    self.action = action
    self.reason = reason
    self.requestedBy = requestedBy
    self.requestedAt = requestedAt
  }
}

extension Revocation {
  /// The revocation that puts an urgent decision into effect at once.
  /// - Returns: nil for a decision that only identifies a number: it waits for the next publication.
  public init?(carryingOut decision: Decision) {
    let action: Action
    switch decision.treatment {
    case .allow: action = .unlist
    case .block: action = .add(decision.category ?? .other, label: decision.label)
    case .identify: return nil
    }
    self.init(
      id: decision.id, number: decision.number, action: action, reason: decision.reason ?? "A moderator's decision",
      requestedBy: decision.decidedBy, requestedAt: decision.decidedAt)
  }
}

public struct RevocationOutcome: Sendable, Equatable {
  /// The publication that carried it out, or found nothing to do; nil while it is open or when it failed.
  public var serial: Int64?
  public var settledAt: Date?
  public var failure: RevocationFailure?
}

extension SQL {
  package static func requestRevocation(_ revocation: Revocation) -> Statement<Void> {
    let (action, category, label): (String, ReportCategory?, String?) =
      switch revocation.action {
      case .remove: ("remove", nil, nil)
      case .unlist: ("unlist", nil, nil)
      case .add(let category, let label): ("add", category, label)
      }
    return Statement(
      """
      INSERT INTO revocations (revocation_id, number, action, category_id, label, reason, requested_by, requested_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (revocation_id) DO NOTHING
      """,
      revocation.id, revocation.number, action, category?.rawValue, label, revocation.reason, revocation.requestedBy,
      revocation.requestedAt)
  }

  /// The open revocations, the oldest first.
  static func readOpenRevocations(limit: Int) -> Statement<Revocation> {
    Statement(
      """
      SELECT revocation_id, number, action, coalesce(category_id, 12::smallint), label, reason, requested_by, requested_at
      FROM revocations WHERE settled_at IS NULL ORDER BY requested_at, revocation_id LIMIT $1::bigint
      """,
      Int64(limit)
    ) { row in
      let action: Revocation.Action =
        switch try row.decode(2, as: String.self) {
        case "remove": .remove
        case "unlist": .unlist
        default: .add(try row.category(3), label: try row.decode(4))
        }
      return Revocation(
        id: try row.decode(0), number: try row.decode(1), action: action,
        reason: try row.decode(5), requestedBy: try row.decode(6), requestedAt: try row.decode(7))
    }
  }

  /// Revocations that remove numbers from every pack.
  static func readRemovals() -> Statement<(number: Int64, id: UUID)> {
    Statement(
      "SELECT number, revocation_id FROM revocations WHERE action = 'remove'"
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// Revocations that remove one number from every pack.
  static func readRemovalsOfNumber(number: Int64) -> Statement<UUID> {
    Statement(
      "SELECT revocation_id FROM revocations WHERE number = $1 AND action = 'remove'",
      number)
  }

  static func settleRevocations(
    ids: [UUID], serial: Int64?, failure: RevocationFailure?, time: Date
  ) -> Statement<Void> {
    Statement(
      """
      UPDATE revocations SET serial = $2, failure = $3::text::jsonb, settled_at = $4
      WHERE revocation_id = ANY($1::uuid[]) AND settled_at IS NULL
      """,
      ids, serial, failure?.json, time)
  }

  /// The given numbers that are listed because of reports, ascending.
  static func readListedByReports(numbers: [Int64]) -> Statement<Int64> {
    Statement(
      "SELECT number FROM listings WHERE number = ANY($1::bigint[]) AND cause = 0 ORDER BY number",
      numbers)
  }

  static func unlistNumbers(numbers: [Int64]) -> Statement<Void> {
    Statement("DELETE FROM listings WHERE number = ANY($1::bigint[])", numbers)
  }
}
