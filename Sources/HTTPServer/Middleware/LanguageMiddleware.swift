// SPDX-License-Identifier: Apache-2.0

import Localization
import HTTPTypes
package import Hummingbird

/// Sets the language and the path of a page request. The API reads the language only if its response has text.
package struct LanguageMiddleware: RouterMiddleware {
  package init() {}

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard !request.uri.path.hasPrefix("/v1/") else { return try await next(request, context) }
    var context = context
    context.path = request.uri.path
    context.language = Language(accepting: request.headers[.acceptLanguage])
    return try await next(request, context)
  }
}
