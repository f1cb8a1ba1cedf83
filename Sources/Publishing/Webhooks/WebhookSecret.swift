// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Foundation

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
