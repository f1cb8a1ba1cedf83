// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One message to one receiver.
public struct WebhookDelivery: Sendable, Equatable {
  /// The same for the same message to the same receiver, however often it is queued or sent.
  public let id: UUID
  /// The receiver's URL.
  public let url: String
  /// The JSON body, exactly as signed.
  public let body: String
  /// Number of attempts, including this one.
  public let attempts: Int

  /// - Parameters: see the properties.
  public init(id: UUID, url: String, body: String, attempts: Int = 0) {
    self.id = id
    self.url = url
    self.body = body
    self.attempts = attempts
  }
}
