// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Hummingbird

/// Refuses requests that do not accept JSON on routes that produce only JSON, before any work is done.
struct AcceptMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard AcceptField(request.headers[.accept]).quality(of: "application/json") > 0 else { throw Problem.notAcceptable }
    return try await next(request, context)
  }
}

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
