// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Crypto
public import Foundation
import PostgreSQL
import Storage

/// The receivers of messages about publications.
public struct Webhooks: Sendable, Equatable {
  /// http or https.
  public let urls: [URL]

  /// - Parameter urls: set by the operator only, because the server sends requests to any address.
  public init(urls: [URL] = []) {
    self.urls = urls
  }

  /// Queues a message to each of them and to the receivers in the database, in the transaction that records the
  /// publication.
  func announce(_ manifest: Manifest, _ link: Manifest.Link, on connection: PostgresConnection) async throws {
    let all = Set(urls.map(\.absoluteString) + (try await WebhookStore.receivers(on: connection)))
    let deliveries = try all.sorted().map { try Self.delivery(of: manifest, link, to: $0) }
    try await WebhookStore.queue(deliveries, at: Date(), on: connection)
  }

  /// The message to one receiver. Id and text are the same each time it is made.
  static func delivery(of manifest: Manifest, _ link: Manifest.Link, to url: String) throws -> WebhookDelivery {
    let id = id(of: "publication \(link.serial) \(link.sha256) \(url)")
    let message = Message(
      id: id.uuidString.lowercased(), serial: link.serial, manifestSHA256: link.sha256, issued: manifest.issued,
      asOf: manifest.asOf, expires: manifest.expires, packs: manifest.packs.count,
      changed: manifest.packs.filter { $0.serial == link.serial }.prefix(200).map(\.name))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return WebhookDelivery(id: id, url: url, body: String(decoding: try encoder.encode(message), as: UTF8.self))
  }

  private struct Message: Encodable {
    let event = "publication"
    let id: String
    let serial: Int64
    let manifestSHA256: String
    let issued: Date
    let asOf: Date
    let expires: Date
    let packs: Int
    let changed: [String]

    private enum CodingKeys: String, CodingKey {
      case event, id, serial, issued, expires, packs, changed
      case manifestSHA256 = "manifest_sha256"
      case asOf = "as_of"
    }
  }

  /// A UUID of version 8 (RFC 9562) derived from a SHA-256.
  private static func id(of text: String) -> UUID {
    var bytes = Array(SHA256.hash(data: Data(text.utf8)))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

/// The secret that signs messages to receivers. It never appears in a log.
public struct WebhookSecret: Sendable {
  private let key: SymmetricKey

  /// - Parameter text: at least 16 bytes; surrounding whitespace is ignored.
  /// - Returns: nil if it is shorter.
  public init?(_ text: String) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.utf8.count >= 16 else { return nil }
    key = SymmetricKey(data: Data(text.utf8))
  }

  /// The field `Ringfence-Signature`: `t=SECONDS,v1=HEX`, where HEX is HMAC-SHA-256 of `SECONDS.BODY`.
  ///
  /// The signature includes the time, so that a receiver can refuse a recorded message that is sent again.
  public func signature(of body: String, at time: Date) -> String {
    let seconds = Int(time.timeIntervalSince1970)
    let code = HMAC<SHA256>.authenticationCode(for: Data("\(seconds).\(body)".utf8), using: key)
    return "t=\(seconds),v1=\(code.map { String(format: "%02x", $0) }.joined())"
  }
}
