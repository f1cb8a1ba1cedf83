import Crypto
import Foundation

/// The token that shows that a form was made for the session that sends it. It follows from the session's secret, so
/// nothing is stored, and it dies with the session.
package enum FormToken {
  /// - Parameter session: the cookie's value.
  package static func make(session: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(
      for: Data("ringfence form".utf8), using: SymmetricKey(data: Data(session.utf8)))
    return Hexadecimal.text(code)
  }

  /// Compares without telling by the time it takes how much is right.
  package static func matches(_ sent: String, _ expected: String) -> Bool {
    let (sent, expected) = (Array(sent.utf8), Array(expected.utf8))
    guard sent.count == expected.count, !expected.isEmpty else { return false }
    return zip(sent, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
