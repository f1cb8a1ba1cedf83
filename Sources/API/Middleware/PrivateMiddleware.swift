import HTTPServer
import HTTPTypes
import Hummingbird

/// Keeps caches that others share from keeping what a key was asked for.
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
