import HTTPTypes
package import Hummingbird

/// Refuses forms that another site's page sends in a visitor's name: they could sign somebody in or out unasked.
///
/// Browsers tell the sender in `Sec-Fetch-Site` when the connection is trustworthy; a request without it is let through.
package struct SameOriginMiddleware: RouterMiddleware {
  package init() {
  }
  private static let site = HTTPField.Name("Sec-Fetch-Site")!

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let isSafe = request.method == .get || request.method == .head
    if !isSafe, let site = request.headers[Self.site], site != "same-origin", site != "none" {
      throw Problem.anotherSite
    }
    return try await next(request, context)
  }
}
