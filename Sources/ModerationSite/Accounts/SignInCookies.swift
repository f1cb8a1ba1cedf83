// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// The cookies of sign-in. If browsers use only https, the names have the prefix `__Host-` (RFC 6265bis, 4.1.3.2).
struct SignInCookies: Sendable {
  enum Kind: String {
    /// The token of the session.
    case session
    /// The token between the first factor and the second.
    case step
    /// Marks a browser that has signed in before.
    case browser
  }

  let isSecure: Bool

  /// The token in the request's cookie; nil if there is none or its length is not 1 to 128 bytes.
  func read(_ kind: Kind, _ request: Request) -> String? {
    guard let token = request.cookies[name(kind)]?.value, (1...128).contains(token.utf8.count) else { return nil }
    return token
  }

  /// - Parameter lifetime: in seconds.
  func make(_ kind: Kind, _ token: String, lifetime: Double) -> Cookie {
    Cookie(
      name: name(kind), value: token, maxAge: Int(lifetime), path: "/", secure: isSecure, httpOnly: true,
      sameSite: .lax)
  }

  /// A cookie that deletes the browser's copy.
  func gone(_ kind: Kind) -> Cookie { make(kind, "", lifetime: 0) }

  private func name(_ kind: Kind) -> String { "\(isSecure ? "__Host-" : "")ringfence_\(kind.rawValue)" }
}
