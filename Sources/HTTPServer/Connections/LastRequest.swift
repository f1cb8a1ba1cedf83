import NIOHTTP1

/// A request of HTTP/1.0 that did not ask to keep its connection: the connection ends with its answer (RFC 9112, 9.3).
///
/// Requests of HTTP/1.1 that say `Connection: close` are Hummingbird's.
struct LastRequest {
  /// Whether all of it has come.
  var isWhole = false

  /// - Parameter head: of a request; nil where others may follow it.
  init?(_ head: HTTPRequestHead) {
    guard head.version == .http1_0 || head.version == .http0_9, !head.isKeepAlive else { return nil }
  }

  /// HTTP/1.0 knows no chunks: what has no length ends with the connection.
  func settle(_ head: inout HTTPResponseHead) {
    if !head.headers.contains(name: "Content-Length") { head.version = .http1_0 }
  }
}
