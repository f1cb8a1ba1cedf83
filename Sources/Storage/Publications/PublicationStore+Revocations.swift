public import Curation
public import Foundation
public import PostgreSQL

extension PublicationStore {
  /// Asks for a number to be taken out, or put in, before the next night. A running server does it within seconds.
  /// Asking again under the same id is harmless.
  public func request(_ revocation: Revocation) async throws {
    // Of the same id and time: asked for again, it stands in the audit log once.
    let event = revocation.event
    try await pool.transaction { connection in
      _ = try await connection.run(RequestRevocation(revocation: revocation))
      try await connection.append(event, at: revocation.requestedAt)
    }
  }

  /// Whether anything is asked for and not settled.
  public func hasOpenRevocations() async throws -> Bool {
    try await !pool.run(ReadOpenRevocations(limit: 1)).isEmpty
  }

  /// What is asked for and not settled, in the order it was asked for.
  /// - Parameter limit: the most that one publication takes.
  public func openRevocations(limit: Int = Revocation.mostTogether) async throws -> [Revocation] {
    try await pool.run(ReadOpenRevocations(limit: limit))
  }

  /// What became of a revocation; nil when there is none of this id.
  public func outcome(of id: UUID) async throws -> RevocationOutcome? {
    try await pool.run(ReadRevocationOutcome(id: id)).first
  }

  /// Settles revocations that no publication can be made for.
  public func refuse(_ revocations: [Revocation], because failure: RevocationFailure, at time: Date) async throws {
    try await pool.retrying { connection in
      _ = try await connection.run(
        SettleRevocations(ids: revocations.map(\.id), serial: nil, failure: failure, time: time))
    }
  }

  /// Settles revocations that a publication has carried out already.
  public func settle(_ revocations: [Revocation], serial: Int64, at time: Date) async throws {
    try await pool.transaction { connection in
      try await Self.settle(revocations, serial: serial, at: time, on: connection)
    }
  }

  /// Settles revocations with the publication that carried them out, and changes what is listed.
  /// - Parameters:
  ///   - dropped: numbers that went out with them, because they are protected.
  ///   - connection: within the transaction that records the publication.
  public static func settle(
    _ revocations: [Revocation], dropped: [Int64] = [], serial: Int64, at time: Date, on connection: PostgresConnection
  ) async throws {
    _ = try await connection.run(
      SettleRevocations(ids: revocations.map(\.id), serial: serial, failure: nil, time: time))
    // The last word on a number counts.
    var last: [Int64: Revocation.Action] = [:]
    for revocation in revocations { last[revocation.number] = revocation.action }
    let removed = last.compactMap { [.remove, .unlist].contains($0.value) ? $0.key : nil }.sorted()
    let added = last.compactMap { number, action -> Listing? in
      guard case .add(let category, _) = action else { return nil }
      return Listing(number: number, category: category, cause: .decision)
    }.sorted { $0.number < $1.number }
    _ = try await connection.run(UnlistNumbers(numbers: Set(removed + dropped).sorted()))
    _ = try await connection.run(ListNumbers(listings: added, serial: serial, time: time))
  }
}

extension PublicationStore {
  /// Numbers that no pack may hold, a directory's neither: those whose standing decision is a revocation's.
  /// - Parameter connection: within the snapshot that is published.
  public static func revokedNumbers(on connection: PostgresConnection) async throws -> Set<Int64> {
    let removals = try await connection.run(ReadRemovals())
    guard !removals.isEmpty else { return [] }
    let ids = Set(removals.map(\.id))
    let standing = try await connection.run(
      ReadStandingDecisionIDs(numbers: Set(removals.map(\.number)).sorted()))
    return Set(standing.filter { ids.contains($0.id) }.map(\.number))
  }
}

extension Revocation {
  /// What the audit log says of it.
  fileprivate var event: AuditEvent {
    let after: [String: String] =
      switch action {
      case .remove, .unlist: ["listed": "no"]
      case .add(let category, let label): ["listed": "yes", "category": category.slug, "label": label ?? ""]
      }
    let isRemoval = [.remove, .unlist].contains(action)
    // Moderators' urgent decisions come this way, and administrators' commands.
    return AuditEvent(
      id: id, actor: requestedBy, role: .moderator, action: isRemoval ? "publication.revoke" : "publication.add",
      subject: "+\(number)", after: after, reason: reason)
  }
}
