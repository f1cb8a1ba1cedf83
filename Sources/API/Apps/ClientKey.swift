// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird

/// The key of a program that cannot send any header, or only name and password.
struct ClientKey {
  /// Where a request may have the key. The first place that has one decides.
  struct Places: OptionSet {
    let rawValue: Int

    /// `Authorization: Bearer KEY`.
    static let bearer = Places(rawValue: 1)
    /// `Authorization: Basic`, with the key as the password and any name.
    static let basic = Places(rawValue: 2)
    /// The query parameter `key`. Our logs have no addresses, but those of proxies do.
    static let query = Places(rawValue: 4)
  }

  private static let mostBytes = 512

  /// The key of a request; nil if it has none in these places.
  static func key(of request: Request, in places: Places) -> String? {
    if let field = request.headers[.authorization] {
      if places.contains(.bearer), let key = BearerKey.key(ofBearer: field) { return key }
      if places.contains(.basic), let key = password(ofBasic: field) { return key }
    }
    guard places.contains(.query) else { return nil }
    return request.uri.queryParameters["key"].map(String.init)
  }

  /// The password of `Basic` (RFC 7617); nil for another scheme.
  static func password(ofBasic field: String) -> String? {
    guard field.utf8.count <= mostBytes, field.prefix(6).lowercased() == "basic ",
      let data = Data(base64Encoded: field.dropFirst(6).trimmingCharacters(in: .whitespaces)),
      let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
    else { return nil }
    return String(text[text.index(after: colon)...])
  }
}

/// Admits requests with an app's key in one of several places.
struct ClientKeyMiddleware: RouterMiddleware {
  let directory: APIKeyCache
  let places: ClientKey.Places

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
