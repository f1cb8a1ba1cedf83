import HTTPServer
import HTTPTypes
import Hummingbird

/// Refuses whoever does not accept JSON where there is nothing else, before anything is done.
struct AcceptMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard AcceptField(request.headers[.accept]).quality(of: "application/json") > 0 else { throw Problem.notAcceptable }
    return try await next(request, context)
  }
}
