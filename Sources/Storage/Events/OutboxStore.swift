// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Events, as messages to receivers of webhooks and to people by mail.
public struct OutboxStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Safe to repeat: a receiver gets an event once.
  public func record(_ event: Event, at now: Date) async throws {
    _ = try await pool.run(SQL.recordEvent(event, at: now))
  }

  /// - Parameter urls: each 1 to 2,000 characters; others are deleted.
  public func replaceReceivers(_ urls: [String]) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.forgetReceivers(except: urls))
      _ = try await connection.run(SQL.addReceivers(urls: Set(urls).sorted()))
    }
  }

  /// The receivers, and the kinds of events that each mail address gets; webhooks get all.
  public func receivers() async throws -> [(receiver: String, events: [String])] {
    try await pool.run(
      """
      SELECT url, '{}'::text[] FROM webhook_receivers
      UNION ALL SELECT 'mailto:' || mail_address, mail_events FROM accounts
      WHERE mail_address IS NOT NULL AND disabled_at IS NULL
      ORDER BY 1
      """
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  public func mails(of account: Int32) async throws -> (address: String?, events: [String]) {
    try await pool.run("SELECT mail_address, mail_events FROM accounts WHERE account_id = $1", account) {
      (address: try $0.decode(0, as: String?.self), events: try $0.decode(1, as: [String].self))
    }.first ?? (nil, [])
  }

  /// Without an address, the account gets no mails.
  public func choose(_ address: MailAddress?, _ events: [Event.Kind], of account: Int32) async throws {
    try await pool.run(
      "UPDATE accounts SET mail_address = $2, mail_events = $3::text[] WHERE account_id = $1", account, address?.text,
      events.map(\.rawValue))
  }

  /// Queues a mail.
  public func mail(_ event: Event, to address: MailAddress, language: String, at time: Date) async throws {
    _ = try await pool.run(SQL.queueMessage(event, to: "mailto:\(address.text)", language: language, at: time))
  }

  /// Messages that were not delivered, the oldest first, each with the reason of its last failure.
  public func waiting(
    limit: Int = 100
  ) async throws -> [(receiver: String, event: String, isGivenUp: Bool, failure: DeliveryFailure?)] {
    try await pool.run(
      """
      SELECT receiver, event, next_attempt_at >= $2, last_error::text FROM outbox WHERE delivered_at IS NULL
      ORDER BY created_at, message_id LIMIT $1::bigint
      """,
      Int64(limit), GatingTime.never
    ) { row in
      let failure: String? = try row.decode(3)
      return (
        try row.decode(0), try row.decode(1), try row.decode(2), failure.flatMap { try? DeliveryFailure(json: $0) }
      )
    }
  }

  /// Takes messages that are due at `now`; no other server gets them before `until`.
  /// - Parameters:
  ///   - limit: the most messages.
  ///   - event: only messages of this event.
  ///   - isMail: only mails, or only webhooks.
  public func take(
    at now: Date, until: Date, limit: Int, of event: UUID? = nil, isMail: Bool? = nil
  ) async throws -> [OutboxMessage] {
    try await pool.run(SQL.takeMessages(now: now, until: until, limit: limit, event: event, isMail: isMail))
  }

  /// Stores that a message was delivered. One with a secret is deleted.
  public func settle(_ message: OutboxMessage, at now: Date) async throws {
    if message.isSecret { return try await drop(message) }
    try await pool.run(
      """
      UPDATE outbox SET delivered_at = $2, last_error = NULL
      WHERE message_id = $1 AND delivered_at IS NULL
      """,
      message.id, now)
  }

  public func drop(_ message: OutboxMessage) async throws {
    try await pool.run("DELETE FROM outbox WHERE message_id = $1", message.id)
  }

  /// Stores why an attempt failed, and when to try again; nil for never.
  public func postpone(_ message: OutboxMessage, until next: Date?, failure: DeliveryFailure) async throws {
    let next = next ?? GatingTime.never
    try await pool.run(
      """
      UPDATE outbox SET next_attempt_at = $2, last_error = $3::text::jsonb
      WHERE message_id = $1 AND delivered_at IS NULL
      """,
      message.id, next, failure.json)
  }
}

/// One message to one receiver.
public struct OutboxMessage: Sendable, Equatable {
  /// The same for the same event and receiver, however often it is queued or sent.
  public let id: UUID
  /// The URL of a webhook, or `mailto:` and an address.
  public let receiver: String
  /// The kind of the event; see `Event.Kind`.
  public let event: String
  /// The JSON of the event, exactly as signed.
  public let body: String
  /// The language of a mail, such as `en`.
  public let language: String?
  public let queuedAt: Date
  /// Number of attempts, including this one.
  public let attempts: Int

  private var isInvitation: Bool { event == Event.Kind.invitation.rawValue }

  /// Whether it has a code or a sign-in link, and is stored encrypted.
  public var isSecret: Bool { isInvitation || event == Event.Kind.ownerCode.rawValue }

  public var expiresAt: Date? {
    isSecret ? queuedAt + (isInvitation ? SessionStore.linkLifetime : OwnerProofStore.codeLifetime) : nil
  }
}

extension SQL {
  /// Queues an event to all receivers: the webhooks, and the accounts that chose mails of its kind. Safe to repeat.
  ///
  /// As a statement of the transaction that makes the event, it is sent if and only if that commits.
  /// - Parameter urls: further receivers of webhooks.
  package static func recordEvent(_ event: Event, to urls: [String] = [], at now: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO outbox (message_id, event_id, event, receiver, language, body, created_at, next_attempt_at)
      SELECT substr(encode(sha256(convert_to($1::text || ' ' || r.receiver, 'UTF8')), 'hex'), 1, 32)::uuid,
        $1::text::uuid, $2, r.receiver, r.language, $3, $4, $4
      FROM (
        SELECT url AS receiver, NULL AS language FROM webhook_receivers
        UNION SELECT url, NULL FROM unnest($5::text[]) AS t (url)
        UNION SELECT 'mailto:' || mail_address, coalesce(language, 'en') FROM accounts
        WHERE ($2 = 'test' OR $2 = ANY(mail_events) OR ($2 = 'publication_failed' AND 'gate_failed' = ANY(mail_events))) AND mail_address IS NOT NULL AND disabled_at IS NULL
          AND role = ANY($6::text[])
      ) AS r
      ORDER BY r.receiver
      ON CONFLICT (message_id) DO NOTHING
      """,
      event.id.uuidString.lowercased(), event.kind.rawValue, event.body, now, urls,
      // An account may have chosen the kind in a higher role.
      Role.allCases.filter { $0 >= event.kind.role }.map(\.rawValue))
  }

  /// Queues one event to one receiver. Safe to repeat.
  /// - Parameters:
  ///   - receiver: the URL of a webhook, or `mailto:` and an address.
  ///   - language: of a mail.
  ///   - time: the first time to send it.
  package static func queueMessage(
    _ event: Event, to receiver: String, language: String? = nil, at time: Date
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO outbox (message_id, event_id, event, receiver, language, body, created_at, next_attempt_at)
      VALUES (substr(encode(sha256(convert_to($1::text || ' ' || $4, 'UTF8')), 'hex'), 1, 32)::uuid,
        $1::text::uuid, $2, $4, $5, $3, $6, $6)
      ON CONFLICT (message_id) DO NOTHING
      """,
      event.id.uuidString.lowercased(), event.kind.rawValue, event.body, receiver, language, time)
  }

  /// Removes mails with answers to appeals, if nobody has begun to send them.
  package static func withdrawAnswers(appeals: [UUID]) -> Statement<Void> {
    Statement(
      """
      DELETE FROM outbox
      WHERE event = 'appeal_answered' AND delivered_at IS NULL AND attempts = 0
        AND (body::jsonb->>'appeal')::uuid = ANY($1::uuid[])
      """,
      appeals)
  }

  /// Takes due messages for a limited time: each goes to one server, and is due again if that server fails.
  static func takeMessages(
    now: Date, until: Date, limit: Int, event: UUID?, isMail: Bool?
  ) -> Statement<OutboxMessage> {
    let isDue = "(next_attempt_at <= $1 OR \(GatingTime.nextDelivery.isWrong(at: "$1")))"
    // The condition is repeated, because a statement that has waited for a row checks only the outer one again.
    return Statement(
      """
      UPDATE outbox SET attempts = attempts + 1, next_attempt_at = $2
      WHERE delivered_at IS NULL AND \(isDue) AND message_id IN (
        SELECT message_id FROM outbox
        WHERE delivered_at IS NULL AND \(isDue) AND ($4::uuid IS NULL OR event_id = $4)
          AND coalesce($5::boolean = starts_with(receiver, 'mailto:'), true)
        ORDER BY next_attempt_at LIMIT $3::bigint
      )
      RETURNING message_id, receiver, event, body, language, created_at, attempts
      """,
      now, until, Int64(limit), event, isMail
    ) { row in
      let attempts: Int32 = try row.decode(6)
      return OutboxMessage(
        id: try row.decode(0), receiver: try row.decode(1), event: try row.decode(2), body: try row.decode(3),
        language: try row.decode(4), queuedAt: try row.decode(5), attempts: Int(attempts))
    }
  }

  /// Deletes old messages, delivered or given up.
  static func purgeMessages(before: Date) -> Statement<Void> {
    Statement("DELETE FROM outbox WHERE created_at < $1", before)
  }

  static func addReceivers(urls: [String]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO webhook_receivers (url) SELECT url FROM unnest($1::text[]) AS t (url) ORDER BY url
      ON CONFLICT (url) DO NOTHING
      """,
      urls)
  }

  static func forgetReceivers(except: [String]) -> Statement<Void> {
    Statement("DELETE FROM webhook_receivers WHERE NOT url = ANY($1::text[])", except)
  }
}
