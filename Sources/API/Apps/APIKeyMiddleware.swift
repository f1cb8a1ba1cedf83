// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Hummingbird
import Storage

/// Admits requests with an app's API key.
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
