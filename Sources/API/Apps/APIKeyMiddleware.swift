// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
import Foundation
import HTTPTypes
package import Hummingbird
import Storage

/// Admits requests with an app's API key.
package struct APIKeyMiddleware: RouterMiddleware {
  package let directory: APIKeyCache

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let key = request.headers[.authorization].flatMap(BearerKey.key(ofBearer:)),
      let app = try await directory.app(key: key)
    else { throw Problem.unauthorized }
    var context = context
    context.app = app
    return try await next(request, context)
  }
}
