// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Consumes a form; returns a row unless it was used before.
struct SpendStamp: PostgresStatement {
  let stamp: [UInt8]
  let expiresAt: Date

  static let sql = """
    INSERT INTO used_form_stamps (stamp, expires_at) VALUES ($1, $2) ON CONFLICT (stamp) DO NOTHING RETURNING stamp
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(stamp)
    parameters.append(expiresAt)
  }

  static func decode(_ row: PostgresRow) throws -> [UInt8] { try row.decode(0) }
}

/// Prevents two people who appeal at once about a number from opening two appeals. A hint only: where it fails there
/// are two appeals, and both are answered.
struct LockAppeals: PostgresStatement {
  typealias Row = Void
  let number: Int64

  static let sql = "SELECT pg_advisory_xact_lock($1)"

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }
}

/// Stores one person's statement under the hash of the ticket.
struct AddFiling: PostgresStatement {
  typealias Row = Void
  let filing: AppealFiling
  let appealID: UUID
  let ticketHash: [UInt8]
  let origin: FilingOrigin

  static let sql = """
    INSERT INTO appeal_filings (number, ticket_hash, appeal_id, statement, filed_at, network, area)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (number, ticket_hash) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(filing.number)
    parameters.append(ticketHash)
    parameters.append(appealID)
    parameters.append(filing.statement)
    parameters.append(filing.filedAt)
    parameters.append(origin.network)
    parameters.append(origin.area)
  }
}

/// Stores the person's contact.
struct AddContact: PostgresStatement {
  typealias Row = Void
  let number: Int64
  let ticketHash: [UInt8]
  let appealID: UUID
  let contact: String

  static let sql = """
    INSERT INTO appeal_contacts (number, ticket_hash, appeal_id, contact) VALUES ($1, $2, $3, $4)
    ON CONFLICT (number, ticket_hash) DO NOTHING
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(ticketHash)
    parameters.append(appealID)
    parameters.append(contact)
  }
}

/// Filings that hold the places of an appeal, the oldest first.
struct ReadFilingPlaces: PostgresStatement {
  let number: Int64
  let appealID: UUID

  static let sql = """
    SELECT ticket_hash, network, area FROM appeal_filings
    WHERE number = $1 AND appeal_id = $2 AND NOT displaced ORDER BY filed_at, ticket_hash
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(appealID)
  }

  static func decode(_ row: PostgresRow) throws -> (ticketHash: [UInt8], origin: FilingOrigin) {
    (try row.decode(0), FilingOrigin(network: try row.decode(1), area: try row.decode(2)))
  }
}

/// Takes a filing's place away; its ticket stays valid.
struct DisplaceFiling: PostgresStatement {
  typealias Row = Void
  let number: Int64
  let ticketHash: [UInt8]

  static let sql = "UPDATE appeal_filings SET displaced = true WHERE number = $1 AND ticket_hash = $2"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(ticketHash)
  }
}

/// Deletes one person's contact.
struct DropContact: PostgresStatement {
  typealias Row = Void
  let number: Int64
  let ticketHash: [UInt8]

  static let sql = "DELETE FROM appeal_contacts WHERE number = $1 AND ticket_hash = $2"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(ticketHash)
  }
}

/// Finds the filing of a ticket.
struct FindFiling: PostgresStatement {
  let ticketHash: [UInt8]

  static let sql = "SELECT number, appeal_id, statement, filed_at FROM appeal_filings WHERE ticket_hash = $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(ticketHash) }

  static func decode(
    _ row: PostgresRow
  ) throws -> (number: Int64, appealID: UUID, statement: String, filedAt: Date) {
    (try row.decode(0), try row.decode(1), try row.decode(2), try row.decode(3))
  }
}

/// The statements in appeals about a number, the oldest first, with contacts; at most 500.
struct ReadFilings: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT f.appeal_id, f.statement, f.filed_at, c.contact
    FROM appeal_filings f
    LEFT JOIN appeal_contacts c ON c.number = f.number AND c.ticket_hash = f.ticket_hash
    WHERE f.number = $1 AND NOT f.displaced ORDER BY f.filed_at, f.ticket_hash LIMIT 500
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(number) }

  static func decode(_ row: PostgresRow) throws -> FiledStatement {
    FiledStatement(
      appealID: try row.decode(0), statement: try row.decode(1), filedAt: try row.decode(2),
      contact: try row.decode(3))
  }
}

/// Schedules the deletion of contacts.
struct SchedulePurge: PostgresStatement {
  typealias Row = Void
  let number: Int64
  let time: Date

  static let sql = "UPDATE appeal_contacts SET purge_at = $2 WHERE number = $1 AND purge_at IS NULL"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(time)
  }
}

/// Deletes contacts that are due.
struct PurgeContacts: PostgresStatement {
  typealias Row = Void
  let time: Date

  static let sql = "DELETE FROM appeal_contacts WHERE purge_at <= $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(time) }
}

/// Deletes used forms that have expired.
struct PurgeStamps: PostgresStatement {
  typealias Row = Void
  let time: Date

  static let sql = "DELETE FROM used_form_stamps WHERE expires_at <= $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(time) }
}

/// Deletes the origins of old filings.
struct PurgeFilingOrigins: PostgresStatement {
  typealias Row = Void
  let before: Date

  static let sql = """
    UPDATE appeal_filings SET network = NULL, area = NULL WHERE network IS NOT NULL AND filed_at < $1
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(before) }
}
