// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Curation
import Hummingbird
import Storage

/// Admits accounts with a role or a higher one; other accounts get a page that names the role.
struct RequireRole: RouterMiddleware {
  let role: Role

  init(_ role: Role) {
    self.role = role
  }

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let moderator = context.moderator, moderator.role >= role else { throw Problem.needs(role) }
    return try await next(request, context)
  }
}
