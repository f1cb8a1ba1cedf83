// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Hummingbird
import Storage

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
