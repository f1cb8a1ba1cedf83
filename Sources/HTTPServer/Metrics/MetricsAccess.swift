import Crypto
import Foundation
import HTTPTypes
package import Hummingbird

/// Who may read the metrics: whoever bears the token.
///
/// The sender's address does not count: what comes through a proxy comes from this machine, and not every proxy says that it
/// is one.
package struct MetricsAccess: Sendable {
  /// SHA-256 of the token; comparing hashes takes the same time wherever they differ.
  private let token: SHA256.Digest?

  /// - Parameter token: nil lets nobody in.
  package init(token: String?) {
    self.token = token.map { SHA256.hash(data: Data($0.utf8)) }
  }

  package func admits(_ request: Request) -> Bool {
    guard let token, let key = request.headers[.authorization].flatMap(BearerKey.key(ofBearer:)) else { return false }
    return SHA256.hash(data: Data(key.utf8)) == token
  }
}
