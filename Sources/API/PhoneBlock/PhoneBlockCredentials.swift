// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Storage

/// The API key of a request of PhoneBlock's clients: a bearer token, or the password of basic authentication.
enum PhoneBlockCredentials {
  /// - Returns: nil without a key.
  static func key(of request: Request) -> String? {
    guard let field = request.headers[.authorization] else { return nil }
    return BearerKey.key(ofBearer: field) ?? password(ofBasic: field)
  }

  private static func password(ofBasic field: String) -> String? {
    let scheme = "basic "
    guard field.utf8.count <= 512, field.lowercased().hasPrefix(scheme),
      let data = Data(base64Encoded: field.dropFirst(scheme.count).trimmingCharacters(in: .whitespaces)),
      let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
    else { return nil }
    return String(text[text.index(after: colon)...])
  }

  /// The user of a request. PhoneBlock's clients do not name their users, so each key is one: reports of several phones
  /// with the same key are those of one reporter.
  static func reporter(of request: Request) throws -> String {
    guard let key = key(of: request) else { throw Problem.unauthorized }
    return "phoneblock \(Hexadecimal.text(SHA256.hash(data: Data(key.utf8)).prefix(16)))"
  }
}

/// Admits requests with an app's API key, as a bearer token or as the password of basic authentication.
struct PhoneBlockKeyMiddleware: RouterMiddleware {
  let directory: APIKeyCache

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let key = PhoneBlockCredentials.key(of: request), let app = try await directory.app(key: key) else {
      throw Problem.unauthorized
    }
    var context = context
    context.app = app
    return try await next(request, context)
  }
}

extension Pseudonymizer {
  /// The pseudonym of a request's user, as in reports.
  func pseudonym(of request: Request, context: ServerRequestContext) throws -> [UInt8] {
    guard let app = context.app else { throw Problem.unauthorized }
    return pseudonym(of: try PhoneBlockCredentials.reporter(of: request), appID: app.id)
  }
}
