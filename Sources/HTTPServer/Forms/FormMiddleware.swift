// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird

/// Reads the fields of a form before its controller runs, and puts them into `context.form`.
package struct FormMiddleware: RouterMiddleware {
  /// Maximum bytes of a form.
  package static let limit = 65_536

  /// Whether the form must include the session's token. Only pages without a session do not need it.
  package let needsToken: Bool

  package init(needsToken: Bool) {
    self.needsToken = needsToken
  }

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard request.method == .post else { return try await next(request, context) }
    let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
    guard type == "application/x-www-form-urlencoded" || type == nil else { throw Problem.noForm }
    let body = try await BodyReader.readShort(request, limit: Self.limit, context: context)
    guard let form = Form(encoded: String(buffer: body)) else { throw Problem.noForm }
    if needsToken {
      guard FormToken.matches(form["csrf"] ?? "", context.csrf) else { throw Problem.staleForm }
    }
    var context = context
    context.form = form
    return try await next(request, context)
  }
}
