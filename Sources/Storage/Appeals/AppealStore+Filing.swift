// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PostgreSQL

extension AppealStore {
  /// How long the origin of a filing is kept, in seconds: 30 days.
  public static let originsKept: TimeInterval = 30 * 86_400
  /// How long after an answer a contact is kept, in seconds: 30 days.
  public static let contactsKept: TimeInterval = 30 * 86_400

  /// Files a person's statement, or joins it to the open appeal about the number. The same transaction consumes the
  /// form, unless there is no place for the statement.
  /// - Parameters:
  ///   - ticket: code for the person; the same for a form that is sent again.
  ///   - stamp: 16 unique bytes of the form, and the time until which it can be sent.
  ///   - origin: network and area of the sender; see `FilingPlaces`.
  public func file(
    _ filing: AppealFiling, ticket: AppealTicket, stamp: (id: [UInt8], expiresAt: Date),
    from origin: FilingOrigin = .unknown
  ) async throws -> FilingOutcome {
    let first = try Appeal(number: filing.number, statement: filing.statement, filedAt: filing.filedAt)
    do {
      return try await pool.transaction { connection in
        guard try await !connection.run(SQL.spendStamp(stamp: stamp.id, expiresAt: stamp.expiresAt)).isEmpty else {
          // A second click, or a repeated transaction after a commit in doubt.
          let kept = try await connection.run(SQL.findFiling(ticketHash: ticket.hash)).first
          return kept.map { ($0.number, $0.statement) == (filing.number, filing.statement) } == true
            ? .filedBefore : .stampSpent
        }
        return try await connection.file(filing, or: first, ticketHash: ticket.hash, from: origin)
      }
    } catch is NoPlace {
      return .crowded
    }
  }

  /// The status for the holder of a ticket; nil for an unknown ticket.
  public func status(of ticket: AppealTicket, at time: Date) async throws -> AppealStatus? {
    try await pool.withConnection { connection in
      guard let filing = try await connection.run(SQL.findFiling(ticketHash: ticket.hash)).first,
        var appeal = try await connection.run(SQL.readAppealsOf(number: filing.number)).first(where: {
          $0.id == filing.appealID
        })
      else { return nil }
      appeal.statement = filing.statement
      appeal.filedAt = filing.filedAt
      return AppealStatus(
        appeal: appeal, listing: try await connection.run(SQL.readListing(number: filing.number)).first,
        isVictim: try await Self.victims(at: time, numbers: [filing.number], on: connection).contains(filing.number),
        isAllowed: try await connection.run(SQL.readStandingDecision(number: filing.number)).first?.treatment == .allow)
    }
  }

  /// The statements in appeals about a number, the oldest first. For moderators only, since contacts are included.
  public func filings(of number: Int64) async throws -> [FiledStatement] {
    try await pool.run(SQL.readFilings(number: number))
  }

  /// Deletes contacts of appeals that were answered 30 days ago, origins of filings older than 30 days, and expired
  /// used forms.
  /// - Returns: number of deleted contacts.
  @discardableResult
  public func purge(at time: Date) async throws -> Int {
    try await pool.retrying { connection in
      try await connection.runReportingCount(SQL.purgeStamps(time: time))
      try await connection.runReportingCount(SQL.purgeFilingOrigins(before: time - Self.originsKept))
      return try await connection.runReportingCount(SQL.purgeContacts(time: time))
    }
  }
}

/// Rolls back the filing of a statement that has no place: its form can be sent again.
private struct NoPlace: Error {}

extension PostgresConnection {
  /// - Parameter first: the appeal that is opened where none is open.
  /// - Throws: `NoPlace`.
  fileprivate func file(
    _ filing: AppealFiling, or first: Appeal, ticketHash: [UInt8], from origin: FilingOrigin
  ) async throws -> FilingOutcome {
    _ = try await run(SQL.lockAppeals(number: filing.number))
    let open = try await run(SQL.readAppealsOf(number: filing.number)).first { $0.state == .open }
    if let open {
      try await makePlace(for: origin, in: open)
    } else {
      _ = try await run(SQL.fileAppeal(appeal: first))
    }
    let id = open?.id ?? first.id
    _ = try await run(SQL.addFiling(filing: filing, appealID: id, ticketHash: ticketHash, origin: origin))
    if let contact = filing.contact {
      _ = try await run(SQL.addContact(number: filing.number, ticketHash: ticketHash, appealID: id, contact: contact))
    }
    _ = try await run(SQL.enqueueCases([(filing.number, .appeal)], at: filing.filedAt))
    return open == nil ? .filed : .joined
  }

  private func makePlace(for origin: FilingOrigin, in appeal: Appeal) async throws {
    let held = try await run(SQL.readFilingPlaces(number: appeal.number, appealID: appeal.id))
    switch FilingPlaces.answer(to: origin, among: held.map(\.origin)) {
    case .free: return
    case .inPlaceOf(let index):
      _ = try await run(SQL.displaceFiling(number: appeal.number, ticketHash: held[index].ticketHash))
      // No page shows the contact of a displaced filing, so it is deleted.
      _ = try await run(SQL.dropContact(number: appeal.number, ticketHash: held[index].ticketHash))
    case .none: throw NoPlace()
    }
  }
}
