import Crypto
import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore

/// Who may read the metrics: whoever is on this machine, and whoever bears the token.
package struct MetricsAccess: Sendable {
  /// SHA-256 of the token; comparing hashes takes the same time wherever they differ.
  private let token: SHA256.Digest?
  private let trustsProxy: Bool

  private static let forwarding = ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"].compactMap { HTTPField.Name($0) }

  package init(token: String?, trustsProxy: Bool) {
    self.token = token.map { SHA256.hash(data: Data($0.utf8)) }
    self.trustsProxy = trustsProxy
  }

  package func admits(_ request: Request, from peer: SocketAddress?) -> Bool {
    if let token, let key = request.headers[.authorization].flatMap(BearerKey.key(ofBearer:)),
      SHA256.hash(data: Data(key.utf8)) == token
    {
      return true
    }
    // What a proxy brings comes from anywhere, also where nobody has told us of the proxy.
    guard !trustsProxy, Self.forwarding.allSatisfy({ request.headers[$0] == nil }) else { return false }
    // A tunnel to this machine, or a page that points its own name here, brings strangers under another name.
    return Self.isLoopback(peer?.ipAddress) && Self.isLocal(request.head.authority)
  }

  /// - Parameter host: a name or an address, with or without a port.
  package static func isLocal(_ host: String?) -> Bool {
    guard let host = host?.lowercased() else { return false }
    let name = host.replacing(/:[0-9]+$/, with: "")
    return name == "localhost" || name == "[::1]" || name.wholeMatch(of: /127\.[0-9]+\.[0-9]+\.[0-9]+/) != nil
  }

  /// - Parameter address: as the system writes it, so in one form only.
  package static func isLoopback(_ address: String?) -> Bool {
    guard let address else { return false }
    return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
  }
}
