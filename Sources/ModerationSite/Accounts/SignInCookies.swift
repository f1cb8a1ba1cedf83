import Hummingbird

/// The cookies that signing in needs. Where browsers come by https alone their names have the prefix that ties them to
/// this very host (RFC 6265bis, 4.1.3.2).
struct SignInCookies: Sendable {
  enum Kind: String {
    /// The token of the session.
    case session
    /// The token between the first factor and the second.
    case step
    /// By which a browser that has signed in before is known.
    case browser
  }

  let isSecure: Bool

  /// The token that a request bears; nil for none, or what cannot be one.
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

  /// Takes it away.
  func gone(_ kind: Kind) -> Cookie { make(kind, "", lifetime: 0) }

  private func name(_ kind: Kind) -> String { "\(isSecure ? "__Host-" : "")ringfence_\(kind.rawValue)" }
}
