// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
public import Curation
package import Foundation
package import Logging
public import OutboundHTTP
package import Publishing
package import Storage

/// Sends queued messages to receivers until they answer with status 2xx. Delivery is at least once, so receivers must
/// ignore ids that they have seen.
package struct WebhookJob: Sendable {
  private let store: WebhookStore
  private let secret: WebhookSecret
  private let logger: Logger

  /// The timeout of a request. A message is leased to one server for longer than that.
  private static let patience = Duration.seconds(15)
  /// Maximum response size in bytes; only the status is used.
  private static let longestAnswer = 64 << 10
  private static let lease: TimeInterval = 60
  private static let batch = 8
  private static let memory: TimeInterval = 30 * 86_400

  /// Maximum attempts for a message: about 30 hours.
  private static let maxAttempts = 40

  /// - Parameter secret: signs messages.
  package init(store: WebhookStore, secret: WebhookSecret, logger: Logger) {
    self.store = store
    self.secret = secret
    self.logger = logger
  }

  /// Sends until the task is cancelled.
  package func run() async {
    // The only possible error is one of closing idle connections.
    try? await OutboundHTTP.withClient { client in
      await repeatedly(every: .seconds(2), "Cannot read webhook messages", logger: logger) {
        while try await sendDue(at: Date(), by: client) == Self.batch { try Task.checkCancellation() }
      }
    }
  }

  /// Sends the messages that are due at a time, once.
  /// - Returns: the count of attempts.
  @discardableResult
  package func sendDue(at now: Date, by client: OutboundHTTP) async throws -> Int {
    let due = try await store.take(at: now, until: now.addingTimeInterval(Self.lease), limit: Self.batch)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for delivery in due { group.addTask { try await send(delivery, by: client, at: now) } }
      try await group.waitForAll()
    }
    if due.isEmpty { try await store.purge(before: now.addingTimeInterval(-Self.memory)) }
    return due.count
  }

  private func send(_ delivery: WebhookDelivery, by client: OutboundHTTP, at now: Date) async throws {
    guard let url = URL(string: delivery.url) else {
      return try await store.postpone(delivery, until: nil, failure: .invalidAddress)
    }
    let request = OutboundRequest(
      "POST", url,
      fields: [
        "Content-Type": "application/json", "Ringfence-Delivery": delivery.id.uuidString.lowercased(),
        "Ringfence-Signature": secret.signature(of: delivery.body, at: now),
      ],
      body: Data(delivery.body.utf8))
    do {
      let (head, _) = try await client.send(request, limit: Self.longestAnswer, total: Self.patience)
      guard (200..<300).contains(head.status) else {
        return try await postpone(delivery, WebhookFailure(head.failure), isGone: head.status == 410, at: now)
      }
      try await store.settle(delivery, at: now)
    } catch let error as HTTPClientError {
      try await postpone(delivery, WebhookFailure(error), isGone: false, at: now)
    }
  }

  /// - Parameter isGone: whether the receiver answered 410.
  private func postpone(
    _ delivery: WebhookDelivery, _ failure: WebhookFailure, isGone: Bool, at now: Date
  ) async throws {
    let isOver = isGone || delivery.attempts >= Self.maxAttempts
    if isOver {
      logger.error(
        "Gave up a webhook message",
        metadata: [
          "webhook.delivery": "\(delivery.id)", "webhook.attempts": "\(delivery.attempts)", "error": "\(failure.json)",
        ])
    }
    let next = now.addingTimeInterval(Self.delay(after: delivery.attempts))
    try await store.postpone(delivery, until: isOver ? nil : next, failure: failure)
  }

  /// Seconds until the next attempt: 5, 10, 20 and so on up to an hour.
  package static func delay(after attempts: Int) -> TimeInterval {
    min(3_600, 5 * Double(1 << min(max(0, attempts - 1), 10)))
  }
}

extension WebhookFailure: OutboundFailure {}
