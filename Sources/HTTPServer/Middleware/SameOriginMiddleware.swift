import HTTPTypes
package import Hummingbird

/// Refuses forms that another site's page sends in a visitor's name: they could sign somebody in or out unasked.
///
/// Browsers name the sender in `Sec-Fetch-Site` when the connection is trustworthy, and otherwise in `Origin`, which has to
/// be the host that the request is for. A request with neither is no browser's and is let through. Programs authorize
/// requests of the API by a key, which no browser adds by itself: there `Origin` does not count.
package struct SameOriginMiddleware: RouterMiddleware {
  package init() {
  }
  private static let site = HTTPField.Name("Sec-Fetch-Site")!

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let isSafe = request.method == .get || request.method == .head
    if !isSafe {
      if let site = request.headers[Self.site] {
        guard site == "same-origin" || site == "none" else { throw Problem.anotherSite }
      } else if let origin = request.headers[.origin], !request.uri.path.hasPrefix("/v1/") {
        guard Self.isSame(origin, host: request.head.authority ?? "") else { throw Problem.anotherSite }
      }
    }
    return try await next(request, context)
  }

  /// The scheme is not compared: a proxy may have ended TLS.
  private static func isSame(_ origin: String, host: String) -> Bool {
    let origin = origin.lowercased()
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where origin.hasPrefix(scheme) {
      let host = host.lowercased()
      return origin.dropFirst(scheme.count) == (host.hasSuffix(port) ? host.dropLast(port.count) : host[...])
    }
    return false
  }
}
