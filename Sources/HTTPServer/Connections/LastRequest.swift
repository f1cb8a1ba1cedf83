import NIOHTTP1

/// A request that is the last one of its connection, which ends with its answer:
/// - of HTTP/1.0, where it did not ask to keep the connection (RFC 9112, 9.3);
/// - one that asks for another protocol, such as `Upgrade: h2c`. The request is answered as it is (RFC 9110, 7.8), but HTTP's
///   parser reads nothing after it;
/// - one whose framing is faulty: where it ends, and the next one begins, is not certain.
///
/// Requests of HTTP/1.1 that say `Connection: close` are Hummingbird's.
struct LastRequest {
  /// Whether all of it has come.
  var isWhole = false
  private let isOld: Bool

  /// - Parameter head: of a request; nil where others may follow it.
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

  /// HTTP/1.0 knows no chunks: an answer without a length ends with the connection.
  func settle(_ head: inout HTTPResponseHead) {
    if isOld, !head.headers.contains(name: "Content-Length") { head.version = .http1_0 }
  }
}
