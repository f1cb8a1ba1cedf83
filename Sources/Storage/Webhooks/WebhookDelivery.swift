public import Foundation

/// One message to one receiver.
public struct WebhookDelivery: Sendable, Equatable {
  /// The same for the same message to the same receiver, however often it is queued or sent.
  public let id: UUID
  /// Where it goes.
  public let url: String
  /// JSON, byte for byte as it is signed.
  public let body: String
  /// How often it has been tried, this attempt with it.
  public let attempts: Int

  /// - Parameters: see the properties.
  public init(id: UUID, url: String, body: String, attempts: Int = 0) {
    self.id = id
    self.url = url
    self.body = body
    self.attempts = attempts
  }
}
