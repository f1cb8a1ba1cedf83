import Localization
import HTTPTypes
package import Hummingbird

/// Notes the language that the caller asks for, and the path.
package struct LanguageMiddleware: RouterMiddleware {
  package init() {}

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.path = request.uri.path
    context.language = Language(accepting: request.headers[.acceptLanguage])
    return try await next(request, context)
  }
}
