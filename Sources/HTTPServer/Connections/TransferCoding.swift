// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// The rules of `Transfer-Encoding` that HTTP's parser does not enforce (RFC 9112, 6.1).
enum TransferCoding {
  /// Whether a request has no transfer coding, or only `chunked` in HTTP/1.1. With others a proxy may find a different
  /// end of the body and read the rest as another request.
  static func isAccepted(_ head: HTTPRequestHead) -> Bool {
    let fields = head.headers["Transfer-Encoding"]
    if fields.isEmpty { return true }
    return head.version == .http1_1 && fields.count == 1 && fields[0].lowercased() == "chunked"
  }
}
