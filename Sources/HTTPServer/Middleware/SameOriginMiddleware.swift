// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird

/// Refuses forms sent by pages of other sites. They could sign a visitor in or out.
///
/// Browsers name the sender in `Sec-Fetch-Site` on trustworthy connections, otherwise in `Origin`, which must equal the
/// request's host. A request with neither is not from a browser and is accepted. Requests of the API are authorized by
/// a key, which browsers never add by themselves; `Origin` is not checked there.
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

  /// The scheme is not compared, because a proxy may terminate TLS.
  private static func isSame(_ origin: String, host: String) -> Bool {
    let origin = origin.lowercased()
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where origin.hasPrefix(scheme) {
      let host = host.lowercased()
      return origin.dropFirst(scheme.count) == (host.hasSuffix(port) ? host.dropLast(port.count) : host[...])
    }
    return false
  }
}
