// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Hummingbird
package import NIOHTTP1

/// Refuses a request of HTTP/1.1 without exactly one host (RFC 9112, section 3.2). A proxy and this server could choose
/// different ones of two hosts.
///
/// Only ``ConnectionLimitHandler`` sees the version and repeated fields; see ``settle(_:)``.
package struct HostMiddleware: RouterMiddleware {
  package init() {
  }
  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let host = request.head.authority, !host.isEmpty else { throw Problem.noHost }
    return try await next(request, context)
  }

  /// Whether an absolute request address has the same host as the field (RFC 9112, 3.2.2).
  private static func namesItsHost(_ head: HTTPRequestHead) -> Bool {
    guard head.uri.utf8.first != UInt8(ascii: "/"), let scheme = head.uri.range(of: "://") else { return true }
    let authority = head.uri[scheme.upperBound...].prefix { !"/?#".contains($0) }
    return authority.lowercased() == head.headers.first(name: "Host")?.lowercased() ?? ""
  }

  /// Removes the host from a head that must be refused, and adds one to a head of HTTP/1.0 without it.
  package static func settle(_ head: inout HTTPRequestHead) {
    var hosts = 0
    for (name, _) in head.headers where name.utf8.count == 4 && name.lowercased() == "host" { hosts += 1 }
    if hosts > 1 || !namesItsHost(head) {
      head.headers.remove(name: "Host")
    } else if hosts == 0, head.version == .http1_0 || head.version == .http0_9 {
      // HTTP/1.0 does not require a host.
      head.headers.add(name: "Host", value: "localhost")
    }
  }
}
