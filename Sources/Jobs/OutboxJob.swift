// SPDX-License-Identifier: Apache-2.0

import CurlHTTP
import ServerSupport
public import Curation
package import Foundation
package import Logging
public import OutboundHTTP
package import Publishing
package import Storage

/// Sends queued messages about events: to webhooks until they answer with status 2xx, and by mail until a server takes
/// them. Delivery is at least once, so receivers must ignore ids that they have seen.
package struct OutboxJob: Sendable {
  /// Writes the mail about an event; nil for a message that cannot be read.
  package typealias Writer = @Sendable (OutboxMessage) -> (subject: String, text: String)?

  private let store: OutboxStore
  private let secret: WebhookSecret
  private let mailer: Mailer?
  private let writer: Writer
  private let opener: @Sendable (OutboxMessage) -> String?
  private let logger: Logger

  /// The timeout of a request. A message is leased to one server for longer than that, and than a mail takes.
  private static let patience = Duration.seconds(15)
  /// Maximum response size in bytes; only the status is used.
  private static let longestAnswer = 64 << 10
  private static let lease: TimeInterval = 90
  private static let batch = 8
  /// Maximum attempts for a message: about 30 hours.
  private static let maxAttempts = 40

  /// - Parameters:
  ///   - secret: signs messages to webhooks.
  ///   - mailer: nil where no mail can be sent.
  ///   - opener: the body of a webhook, of a message that may be stored encrypted; nil for one that cannot be read.
  package init(
    store: OutboxStore, secret: WebhookSecret, mailer: Mailer?, writer: @escaping Writer,
    opener: @escaping @Sendable (OutboxMessage) -> String? = { $0.body }, logger: Logger
  ) {
    (self.store, self.secret, self.mailer, self.writer, self.logger) = (store, secret, mailer, writer, logger)
    self.opener = opener
  }

  /// Sends until the task is canceled.
  package func run() async {
    // The only possible error is one of closing idle connections.
    try? await OutboundHTTP.withClient { client in
      await withDiscardingTaskGroup { group in
        // Apart, so that webhooks do not wait for a mail server that hangs.
        for isMail in [false, true] {
          group.addTask {
            await repeatedly(every: .seconds(2), "Cannot read messages about events", logger: logger) {
              while try await sendDue(at: Date(), isMail: isMail, by: client).count == Self.batch {
                try Task.checkCancellation()
              }
            }
          }
        }
      }
    }
  }

  /// Sends the messages that are due at a time, once.
  /// - Parameters:
  ///   - event: only messages of this event.
  ///   - isMail: only mails, or only webhooks.
  /// - Returns: the receivers, each with its failure; nil where it was told.
  @discardableResult
  package func sendDue(
    at now: Date, of event: UUID? = nil, isMail: Bool? = nil, by client: OutboundHTTP
  ) async throws -> [(receiver: String, failure: DeliveryFailure?)] {
    let due = try await store.take(
      at: now, until: now.addingTimeInterval(Self.lease), limit: Self.batch, of: event, isMail: isMail)
    let results = try await withThrowingTaskGroup(of: (String, DeliveryFailure?).self) { group in
      for message in due {
        group.addTask { (message.receiver, try await send(message, by: client, at: now)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    return results.sorted { $0.0 < $1.0 }.map { (receiver: $0.0, failure: $0.1) }
  }

  /// - Returns: nil where the receiver was told.
  private func send(
    _ message: OutboxMessage, by client: OutboundHTTP, at now: Date
  ) async throws -> DeliveryFailure? {
    if let end = message.expiresAt, end <= now {
      try await store.drop(message)
      return .tookTooLong(seconds: Int64(now.timeIntervalSince(message.queuedAt)))
    }
    var isOver = false
    let failure: DeliveryFailure?
    if message.receiver.hasPrefix("mailto:") {
      failure = try await mail(message)
    } else {
      (failure, isOver) = try await post(message, by: client, at: now)
    }
    guard let failure else {
      try await store.settle(message, at: now)
      return nil
    }
    isOver = isOver || failure == .invalidAddress || message.attempts >= Self.maxAttempts
    if isOver {
      logger.error(
        "Gave up a message about an event",
        metadata: [
          "message.id": .stringConvertible(message.id), "message.attempts": .stringConvertible(message.attempts),
          "error": "\(failure.json)",
        ])
    }
    let next = min(now.addingTimeInterval(Self.delay(after: message.attempts)), message.expiresAt ?? .distantFuture)
    try await store.postpone(message, until: isOver ? nil : next, failure: failure)
    return failure
  }

  /// - Returns: the failure, and whether the receiver wants no further messages.
  private func post(
    _ message: OutboxMessage, by client: OutboundHTTP, at now: Date
  ) async throws -> (DeliveryFailure?, isGone: Bool) {
    guard let url = URL(string: message.receiver), let body = opener(message) else { return (.invalidAddress, false) }
    let request = OutboundRequest(
      "POST", url,
      fields: [
        "Content-Type": "application/json", "Ringfence-Delivery": message.id.uuidString.lowercased(),
        "Ringfence-Signature": secret.signature(of: body, at: now),
      ],
      body: Data(body.utf8))
    do {
      let (head, _) = try await client.send(request, limit: Self.longestAnswer, total: Self.patience)
      return ((200..<300).contains(head.status) ? nil : DeliveryFailure(head.failure), head.status == 410)
    } catch let error as HTTPClientError {
      return (DeliveryFailure(error), false)
    }
  }

  private func mail(_ message: OutboxMessage) async throws -> DeliveryFailure? {
    guard let mailer else { return .noMailServer }
    guard let address = MailAddress(String(message.receiver.dropFirst("mailto:".count))),
      let (subject, text) = writer(message)
    else { return .invalidAddress }
    let id = "\(message.id.uuidString.lowercased())@ringfence"
    return try await mailer.send(
      MailMessage(id: id, recipient: address, date: message.queuedAt, subject: subject, text: text))
  }

  /// Seconds until the next attempt: 5, 10, 20 and so on up to an hour.
  package static func delay(after attempts: Int) -> TimeInterval {
    min(3_600, 5 * Double(1 << min(max(0, attempts - 1), 10)))
  }
}

extension DeliveryFailure: OutboundFailure {}
