// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

extension PublicationStore {
  /// Requests that a number is removed or added before the next publication. A running server does so within seconds.
  /// Safe to repeat with the same id.
  public func request(_ revocation: Revocation) async throws {
    // Urgent decisions of moderators and commands of administrators both create revocations.
    try await request([revocation], role: Role.moderator.rawValue)
  }

  /// Requests several at once; see ``request(_:)``.
  /// - Parameter role: see ``AuditEvent/role``.
  func request(_ revocations: [Revocation], role: String) async throws {
    // The event has the same id and time as the revocation, so a repeated request is recorded once.
    try await pool.transaction { connection in
      for revocation in revocations {
        _ = try await connection.run(SQL.requestRevocation(revocation))
        try await connection.append(revocation.event(role: role), at: revocation.requestedAt)
      }
    }
  }

  /// Whether there are open revocations.
  public func hasOpenRevocations() async throws -> Bool {
    try await !pool.run(SQL.readOpenRevocations(limit: 1)).isEmpty
  }

  /// The open revocations, the oldest first.
  /// - Parameter limit: the most that one publication takes.
  public func openRevocations(limit: Int = Revocation.mostTogether) async throws -> [Revocation] {
    try await pool.run(SQL.readOpenRevocations(limit: limit))
  }

  /// The outcome of a revocation; nil when there is none of this id.
  public func outcome(of id: UUID) async throws -> RevocationOutcome? {
    try await pool.run(SQL.readRevocationOutcome(id: id)).first
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
    _ = try await connection.run(SQL.unlistNumbers(numbers: Set(removed + dropped).sorted()))
    _ = try await connection.run(SQL.listNumbers(listings: added, serial: serial, time: time))
  }
}

extension PublicationStore {
  /// Numbers that no pack may contain, not even from a directory: those whose decision in force is that of a
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
  /// The audit event of the revocation.
  fileprivate func event(role: String) -> AuditEvent {
    let after: [String: String] =
      switch action {
      case .remove, .unlist: ["listed": "no"]
      case .add(let category, let label): ["listed": "yes", "category": category.slug, "label": label ?? ""]
      }
    let isRemoval = [.remove, .unlist].contains(action)
    return AuditEvent(
      id: id, actor: requestedBy, role: role, action: isRemoval ? "publication.revoke" : "publication.add",
      subject: "+\(number)", after: after, reason: reason)
  }
}
