// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Crypto
import Curation
public import Foundation
import PostgreSQL
import Storage

/// The receivers of webhooks that a command or the settings name.
public struct Webhooks: Sendable, Equatable {
  /// http or https.
  public let urls: [URL]

  /// - Parameter urls: set by the operator only, because the server sends requests to any address.
  public init(urls: [URL] = []) {
    self.urls = urls
  }

  /// Queues a message to each of them and to all other receivers, in the transaction that records the publication.
  func announce(_ manifest: Manifest, _ link: Manifest.Link, on connection: PostgresConnection) async throws {
    let event = Self.event(of: manifest, link)
    _ = try await connection.run(SQL.recordEvent(event, to: urls.map(\.absoluteString), at: Date()))
  }

  /// Id and text are the same each time it is made.
  static func event(of manifest: Manifest, _ link: Manifest.Link) -> Event {
    let changed = manifest.packs.filter { $0.serial == link.serial }.prefix(200).map(\.name)
    return Event(
      .publication, id: UUID(naming: "publication \(link.serial) \(link.sha256)"), at: manifest.issued,
      [
        "serial": .count(Int(link.serial)), "manifest_sha256": .text(link.sha256),
        "issued": .text(manifest.issued.documentTime), "as_of": .text(manifest.asOf.documentTime),
        "expires": .text(manifest.expires.documentTime), "packs": .count(manifest.packs.count),
        "changed": .texts(changed),
      ])
  }
}

extension Event {
  static func gatesFailed(_ gates: [GateRecord], serial: Int64, at time: Date) -> Event {
    let names = Set(gates.closed.map(\.gate)).sorted().joined(separator: ", ")
    return Event(
      .gateFailed, id: UUID(naming: "gates \(serial)"), at: time,
      ["serial": .count(Int(serial)), "gates": .text(names)])
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
    return "t=\(seconds),v1=\(Hexadecimal.text(code))"
  }
}
