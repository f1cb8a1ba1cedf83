import HTTPTypes
import Hummingbird

/// Headers that keep a browser from doing anything that our pages do not ask for.
struct SecurityHeadersMiddleware: RouterMiddleware {
  private static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
  private static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
  private static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!

  private static let policy = """
    default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'
    """

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    response.headers[Self.contentSecurityPolicy] = Self.policy
    // A sign-in link's token stands in an address: it must not travel on.
    response.headers[Self.referrerPolicy] = "no-referrer"
    response.headers[Self.contentTypeOptions] = "nosniff"
    return response
  }
}
