// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Hummingbird

/// Answers unknown methods with 501. Routes answer known methods that they do not support with 405.
package struct MethodMiddleware: RouterMiddleware {
  package init() {
  }
  /// The known methods, in the order of `Allow`.
  package static let known: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect, query, find, report,
  ]

  private static let query = HTTPRequest.Method("QUERY")!
  /// PROPFIND and REPORT: methods of WebDAV.
  package static let find = HTTPRequest.Method("PROPFIND")!
  package static let report = HTTPRequest.Method("REPORT")!

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard Self.known.contains(request.method) else { throw Problem.unknownMethod }
    return try await next(request, context)
  }
}

extension Router<ServerRequestContext> {
  /// Adds routes that answer unsupported methods of all existing paths with 405 and `Allow`. Call it after all other
  /// routes are added.
  package func refuseOtherMethods() {
    let all = MethodMiddleware.known
    for (_, routes) in Dictionary(grouping: routes, by: \.path.description) {
      var known = Set(routes.map(\.method))
      if known.contains(.get) { known.insert(.head) }
      let allowed = all.filter(known.contains)
      for method in all where !known.contains(method) {
        on(routes[0].path, method: method) { _, _ -> Response in throw Problem.methodNotAllowed(allowed) }
      }
    }
  }
}
