/// Why a server does not let the app in; nothing that waits is given up for it.
public enum KeyRefusal: Sendable, Equatable {
  /// 401: the server does not know the key, or it was revoked.
  case unknown
  /// 403: the server knows the key, and it lacks the scope: `report`, `lookup` or `fetch`.
  case scope
  /// Whoever packs lie with asks for a key, and is not the server that the app's key is for.
  case notSent

  /// What happened and what to do.
  var text: String {
    switch self {
    case .unknown:
      "The server does not know the app's key, or it was revoked. Ask its operator for another one."
    case .scope:
      "The app's key may not do this. Ask the server's operator for one with the scope: report, lookup or fetch."
    case .notSent:
      "The publications' address asks for a key, and the app's is sent to its own server alone. Fetch from there."
    }
  }
}

extension ClientHead {
  /// Whether the server turns the key away. A 403 that is no problem document is a proxy's, or an object store's, which says
  /// so of what is not there.
  /// - Parameter isBorne: whether the request bore the key.
  func keyRefusal(isBorne: Bool = true) -> KeyRefusal? {
    guard status == 401 || status == 403 && isProblem else { return nil }
    guard isBorne else { return .notSent }
    return status == 401 ? .unknown : .scope
  }

  /// Whether these are the server's own words.
  var isProblem: Bool { self["Content-Type"]?.hasPrefix("application/problem+json") ?? false }
}
