// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// A request that is the last one of its connection:
/// - of HTTP/1.0, if it did not ask to keep the connection (RFC 9112, 9.3);
/// - one that asks for another protocol, such as `Upgrade: h2c`. The request is answered in HTTP/1.1 (RFC 9110, 7.8),
///   but the parser reads nothing after it;
/// - one with wrong framing, because the start of the next request is uncertain.
///
/// Hummingbird handles requests of HTTP/1.1 with `Connection: close`.
struct LastRequest {
  /// Whether the request was received completely.
  var isWhole = false
  private let isOld: Bool

  /// - Parameter head: of a request; nil if other requests may follow.
  init?(_ head: HTTPRequestHead) {
    isOld = head.version != .http1_1
    guard isOld && !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "Upgrade") else {
      return nil
    }
  }

  private init() {
    (isOld, isWhole) = (false, true)
  }

  /// A request that is refused for its framing.
  static let refused = LastRequest()

  /// HTTP/1.0 has no chunked encoding: the close of the connection ends a response without a length.
  func settle(_ head: inout HTTPResponseHead) {
    if isOld, !head.headers.contains(name: "Content-Length") { head.version = .http1_0 }
  }
}

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

/// An outbound event of a connection: the body of the current request is about to be read. A client that sent `Expect:
/// 100-continue` gets the response 100.
struct BodyWanted: Sendable {}
