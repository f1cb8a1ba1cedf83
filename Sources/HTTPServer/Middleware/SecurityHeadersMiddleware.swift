package import HTTPTypes
package import Hummingbird

/// Headers that keep a browser from doing anything that our pages do not ask for.
package struct SecurityHeadersMiddleware: RouterMiddleware {
  package init() {
  }
  private static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
  private static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
  private static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!

  private static let policy = """
    default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'
    """

  /// What every answer bears.
  package static let fields: HTTPFields = [
    contentSecurityPolicy: policy,
    // A sign-in link's token stands in an address: it must not travel on.
    referrerPolicy: "no-referrer",
    contentTypeOptions: "nosniff",
  ]

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    for field in Self.fields { response.headers[field.name] = field.value }
    return response
  }
}
