// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird

/// Removes the body of every error below a path. Telephone systems show the body of any response as the name of the
/// caller. Place it before ``ErrorMiddleware``.
package struct EmptyErrorMiddleware: RouterMiddleware {
  private let path: String

  /// - Parameter path: such as `/v1/pbx`.
  package init(path: String) {
    self.path = path
  }

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    let asked = request.uri.path
    guard response.status.code >= 400, asked == path || asked.hasPrefix("\(path)/") else { return response }
    response.headers[.contentType] = nil
    response.headers[.contentLength] = nil
    response.body = .init()
    return response
  }
}
