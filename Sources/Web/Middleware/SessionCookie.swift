import Hummingbird

/// The cookie that holds a session's token. Where browsers come by https alone its name has the prefix that ties it to
/// this very host.
struct SessionCookie: Sendable {
  let isSecure: Bool

  private var name: String { isSecure ? "__Host-ringfence_session" : "ringfence_session" }

  /// The token that a request bears; nil for none, or what cannot be one.
  func read(_ request: Request) -> String? {
    guard let token = request.cookies[name]?.value, (1...128).contains(token.utf8.count) else { return nil }
    return token
  }

  /// - Parameter lifetime: in seconds.
  func make(_ token: String, lifetime: Int) -> Cookie {
    Cookie(
      name: name, value: token, maxAge: lifetime, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
  }

  /// Takes it away.
  var gone: Cookie { make("", lifetime: 0) }
}
