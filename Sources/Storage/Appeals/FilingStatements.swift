// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Consumes a form; returns a row unless it was used before.
  static func spendStamp(stamp: [UInt8], expiresAt: Date) -> Statement<[UInt8]> {
    Statement(
      """
      INSERT INTO used_form_stamps (stamp, expires_at) VALUES ($1, $2) ON CONFLICT (stamp) DO NOTHING RETURNING stamp
      """,
      stamp, expiresAt
    ) { try $0.decode(0) }
  }

  /// Prevents two people who appeal at once about a number from opening two appeals. A hint only: where it fails there
  /// are two appeals, and both are answered.
  static func lockAppeals(number: Int64) -> Statement<Void> {
    Statement(
      "SELECT pg_advisory_xact_lock($1)",
      number)
  }

  /// Stores one person's statement under the hash of the ticket.
  static func addFiling(
    filing: AppealFiling, appealID: UUID, ticketHash: [UInt8], origin: FilingOrigin
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO appeal_filings (number, ticket_hash, appeal_id, statement, filed_at, network, area)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (number, ticket_hash) DO NOTHING
      """,
      filing.number, ticketHash, appealID, filing.statement, filing.filedAt, origin.network, origin.area)
  }

  /// Stores the person's contact.
  static func addContact(number: Int64, ticketHash: [UInt8], appealID: UUID, contact: String) -> Statement<Void> {
    Statement(
      """
      INSERT INTO appeal_contacts (number, ticket_hash, appeal_id, contact) VALUES ($1, $2, $3, $4)
      ON CONFLICT (number, ticket_hash) DO NOTHING
      """,
      number, ticketHash, appealID, contact)
  }

  /// Filings that hold the places of an appeal, the oldest first.
  static func readFilingPlaces(
    number: Int64, appealID: UUID
  ) -> Statement<(ticketHash: [UInt8], origin: FilingOrigin)> {
    Statement(
      """
      SELECT ticket_hash, network, area FROM appeal_filings
      WHERE number = $1 AND appeal_id = $2 AND NOT displaced ORDER BY filed_at, ticket_hash
      """,
      number, appealID
    ) { (try $0.decode(0), FilingOrigin(network: try $0.decode(1), area: try $0.decode(2))) }
  }

  /// Takes a filing's place away; its ticket stays valid.
  static func displaceFiling(number: Int64, ticketHash: [UInt8]) -> Statement<Void> {
    Statement(
      "UPDATE appeal_filings SET displaced = true WHERE number = $1 AND ticket_hash = $2",
      number, ticketHash)
  }

  /// Deletes one person's contact.
  static func dropContact(number: Int64, ticketHash: [UInt8]) -> Statement<Void> {
    Statement(
      "DELETE FROM appeal_contacts WHERE number = $1 AND ticket_hash = $2",
      number, ticketHash)
  }

  /// Finds the filing of a ticket.
  static func findFiling(
    ticketHash: [UInt8]
  ) -> Statement<(number: Int64, appealID: UUID, statement: String, filedAt: Date)> {
    Statement(
      "SELECT number, appeal_id, statement, filed_at FROM appeal_filings WHERE ticket_hash = $1",
      ticketHash
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
  }

  /// The statements in appeals about a number, the oldest first, with contacts; at most 500.
  static func readFilings(number: Int64) -> Statement<FiledStatement> {
    Statement(
      """
      SELECT f.appeal_id, f.statement, f.filed_at, c.contact
      FROM appeal_filings f
      LEFT JOIN appeal_contacts c ON c.number = f.number AND c.ticket_hash = f.ticket_hash
      WHERE f.number = $1 AND NOT f.displaced ORDER BY f.filed_at, f.ticket_hash LIMIT 500
      """,
      number
    ) { row in
      FiledStatement(
        appealID: try row.decode(0), statement: try row.decode(1), filedAt: try row.decode(2),
        contact: try row.decode(3))
    }
  }

  /// Schedules the deletion of contacts.
  static func schedulePurge(number: Int64, time: Date) -> Statement<Void> {
    Statement(
      "UPDATE appeal_contacts SET purge_at = $2 WHERE number = $1 AND purge_at IS NULL",
      number, time)
  }

  /// Deletes contacts that are due.
  static func purgeContacts(time: Date) -> Statement<Void> {
    Statement(
      "DELETE FROM appeal_contacts WHERE purge_at <= $1",
      time)
  }

  /// Deletes used forms that have expired.
  static func purgeStamps(time: Date) -> Statement<Void> {
    Statement(
      "DELETE FROM used_form_stamps WHERE expires_at <= $1",
      time)
  }

  /// Deletes the origins of old filings.
  static func purgeFilingOrigins(before: Date) -> Statement<Void> {
    Statement(
      """
      UPDATE appeal_filings SET network = NULL, area = NULL WHERE network IS NOT NULL AND filed_at < $1
      """,
      before)
  }
}
