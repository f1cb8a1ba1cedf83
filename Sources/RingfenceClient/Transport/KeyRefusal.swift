// SPDX-License-Identifier: Apache-2.0

/// The reason why a server refused the app's key. Everything in the outbox keeps waiting.
public enum KeyRefusal: Sendable, Equatable {
  /// Status 401: the server does not know the key, or it was revoked.
  case unknown
  /// Status 403: the server knows the key, but the key lacks the scope `report`, `lookup` or `fetch`.
  case scope
  /// The address of the packs requires a key, and it is not the server that the app's key belongs to.
  case notSent

  /// A sentence that says what happened and what to do.
  var text: String {
    switch self {
    case .unknown:
      "The server does not know the app's key, or it was revoked. Ask its operator for another one."
    case .scope:
      "The app's key may not do this. Ask the server's operator for one with the scope: report, lookup or fetch."
    case .notSent:
      "The address of the packs requires a key, and the app's key is sent only to its own server. Fetch packs from there."
    }
  }
}

extension ClientHead {
  /// Returns whether the server refused the key. A 403 without a problem document comes from a proxy, or from an object
  /// store, which returns it for missing files.
  /// - Parameter hasKey: whether the request contained the key.
  func keyRefusal(hasKey: Bool = true) -> KeyRefusal? {
    guard status == 401 || status == 403 && isProblem else { return nil }
    guard hasKey else { return .notSent }
    return status == 401 ? .unknown : .scope
  }

  /// Whether the response comes from the server itself: a problem document.
  var isProblem: Bool { self["Content-Type"]?.hasPrefix("application/problem+json") ?? false }
}
