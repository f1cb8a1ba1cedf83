import Crypto
public import Foundation

/// What receivers know our messages by. It never goes into a log.
public struct WebhookSecret: Sendable {
  private let key: SymmetricKey

  /// - Parameter text: at least 16 bytes; spaces around it do not count.
  /// - Returns: nil for less.
  public init?(_ text: String) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.utf8.count >= 16 else { return nil }
    key = SymmetricKey(data: Data(text.utf8))
  }

  /// The field `Ringfence-Signature`: `t=SECONDS,v1=HEX`, where HEX is HMAC-SHA-256 over `SECONDS.BODY`.
  ///
  /// The time is signed with the body, so that a message which somebody has recorded is old when it is sent again.
  public func signature(of body: String, at time: Date) -> String {
    let seconds = Int(time.timeIntervalSince1970)
    let code = HMAC<SHA256>.authenticationCode(for: Data("\(seconds).\(body)".utf8), using: key)
    return "t=\(seconds),v1=\(code.map { String(format: "%02x", $0) }.joined())"
  }
}
