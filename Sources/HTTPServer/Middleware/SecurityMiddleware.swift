// SPDX-License-Identifier: Apache-2.0

import Foundation
package import HTTPTypes
package import Hummingbird
package import NIOHTTP1

/// Adds headers that restrict browsers to the features of our pages.
package struct SecurityHeadersMiddleware: RouterMiddleware {
  package init() {
  }
  private static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
  private static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
  private static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!

  private static let policy = """
    default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'
    """

  /// Fields of every response.
  package static let fields: HTTPFields = [
    contentSecurityPolicy: policy,
    // The address may contain a sign-in token, which must not reach other sites.
    referrerPolicy: "no-referrer",
    contentTypeOptions: "nosniff",
  ]

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    for field in Self.fields { response.headers[field.name] = field.value }
    return response
  }
}

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

/// Refuses a request of HTTP/1.1 without exactly one valid host (RFC 9112, section 3.2). A proxy and this server could choose
/// different ones of two hosts.
///
/// Only ``ConnectionLimitHandler`` sees the version and repeated fields; see ``settle(_:)``.
package struct HostMiddleware: RouterMiddleware {
  package init() {
  }
  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let host = request.head.authority, Self.isHost(host) else { throw Problem.noHost }
    return try await next(request, context)
  }

  /// Whether a text is a name or an address, and a port if there is one. Names of servers consist of letters, digits,
  /// dots, hyphens and underscores.
  package static func isHost(_ text: String) -> Bool {
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "[") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let address = rest[..<end].dropFirst()
      guard !address.isEmpty, address.allSatisfy({ isHexDigit($0) || $0 == 0x2E || $0 == 0x3A }) else { return false }
      rest = rest[end...].dropFirst()
    } else {
      let name = rest.prefix { $0 != UInt8(ascii: ":") }
      guard !name.isEmpty, name.allSatisfy(isNameCharacter) else { return false }
      rest = rest[name.endIndex...]
    }
    return rest.isEmpty || rest.first == UInt8(ascii: ":") && rest.count <= 6 && rest.dropFirst().allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x2E || byte == 0x5F
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
