// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird

/// Prevents shared caches from storing responses to requests with a key.
struct PrivateMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    if let kept = response.headers[.cacheControl] {
      response.headers[.cacheControl] = kept.replacing("public", with: "private")
    }
    return response
  }
}
