// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPTypes
package import Hummingbird

/// Access to the metrics by a bearer token.
///
/// The sender's address is not used: requests through a proxy on the same machine have a local address, and not every
/// proxy adds a forwarding header.
package struct MetricsAccess: Sendable {
  /// SHA-256 of the token; hashes are compared in constant time.
  private let token: SHA256.Digest?

  /// - Parameter token: nil refuses every request.
  package init(token: String?) {
    self.token = token.map { SHA256.hash(data: Data($0.utf8)) }
  }

  package func admits(_ request: Request) -> Bool {
    guard let token, let key = request.headers[.authorization].flatMap(BearerKey.key(ofBearer:)) else { return false }
    return SHA256.hash(data: Data(key.utf8)) == token
  }
}
