import HTTPTypes
import Hummingbird

/// Answers methods that no server of ours has ever known with 501; those that are known but not here are answered with
/// 405, by routes.
struct MethodMiddleware: RouterMiddleware {
  /// In the order in which `Allow` names them.
  static let known: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect, query,
  ]

  private static let query = HTTPRequest.Method("QUERY")!

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    guard Self.known.contains(request.method) else { throw Problem.unknownMethod }
    return try await next(request, context)
  }
}
