import HTTPServer
import Curation
import Hummingbird
import Storage

/// Lets in accounts of a role and of those above it; others get a page that says so.
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
