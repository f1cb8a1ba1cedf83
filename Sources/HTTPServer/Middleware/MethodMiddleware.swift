package import HTTPTypes
package import Hummingbird

/// Answers methods that no server of ours has ever known with 501; those that are known but not here are answered with
/// 405, by routes.
package struct MethodMiddleware: RouterMiddleware {
  package init() {
  }
  /// In the order in which `Allow` names them.
  package static let known: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect, query,
  ]

  private static let query = HTTPRequest.Method("QUERY")!

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard Self.known.contains(request.method) else { throw Problem.unknownMethod }
    return try await next(request, context)
  }
}
