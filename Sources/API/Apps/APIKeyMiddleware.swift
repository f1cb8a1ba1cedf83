// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Storage

struct APIKeyMiddleware: RouterMiddleware {
  let directory: APIKeyCache
  /// Where a request may have its key.
  var places: ClientKey.Places = .bearer

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let key = ClientKey.key(of: request, in: places), let app = try await directory.app(key: key) else {
      throw Problem.unauthorized
    }
    var context = context
    context.app = app
    return try await next(request, context)
  }
}

/// Admits requests whose key has a scope. Place it after ``APIKeyMiddleware``.
struct ScopeMiddleware: RouterMiddleware {
  let scope: AppScopes

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard context.app?.scopes.isSuperset(of: scope) ?? false else { throw Problem.scope(scope) }
    return try await next(request, context)
  }
}

/// The key of a program that cannot send any header, or only name and password.
struct ClientKey {
  /// Where a request may have the key. The first place that has one decides.
  struct Places: OptionSet {
    let rawValue: Int

    /// `Authorization: Bearer KEY`.
    static let bearer = Places(rawValue: 1)
    /// `Authorization: Basic`, with the key as the password and any name.
    static let basic = Places(rawValue: 2)
    /// The query parameter `key`. Our logs have no addresses, but logs of proxies do.
    static let query = Places(rawValue: 4)
  }

  private static let maxBytes = 512

  /// The key of a request; nil if it has none in these places.
  static func key(of request: Request, in places: Places) -> String? {
    if let field = request.headers[.authorization] {
      if places.contains(.bearer), let key = BearerKey.key(ofBearer: field) { return key }
      if places.contains(.basic), let key = password(ofBasic: field) { return key }
    }
    guard places.contains(.query) else { return nil }
    return request.uri.queryParameters["key"].map(BearerKey.trimmed)
  }

  /// The password of `Basic` (RFC 7617); nil for another scheme. The name may have any encoding.
  static func password(ofBasic field: String) -> String? {
    guard field.utf8.count <= maxBytes, field.prefix(6).lowercased() == "basic ",
      let data = Data(base64Encoded: field.dropFirst(6).trimmingCharacters(in: .whitespaces)),
      let colon = data.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return String(validating: data[data.index(after: colon)...], as: UTF8.self).map(BearerKey.trimmed)
  }
}
