// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Hummingbird

/// Adds headers that restrict browsers to the features of our pages.
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

  /// Fields of every response.
  package static let fields: HTTPFields = [
    contentSecurityPolicy: policy,
    // The address may contain a sign-in token, which must not reach other sites.
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
