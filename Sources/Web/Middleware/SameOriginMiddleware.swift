import HTTPTypes
import Hummingbird

/// Refuses forms that another site's page sends in a visitor's name: they could sign somebody in or out unasked.
///
/// Browsers tell the sender in `Sec-Fetch-Site` when the connection is trustworthy; a request without it is let through.
struct SameOriginMiddleware: RouterMiddleware {
  private static let site = HTTPField.Name("Sec-Fetch-Site")!

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let isSafe = request.method == .get || request.method == .head
    if !isSafe, let site = request.headers[Self.site], site != "same-origin", site != "none" {
      throw Problem.anotherSite
    }
    return try await next(request, context)
  }
}
