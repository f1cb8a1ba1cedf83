import HTTPTypes
package import Hummingbird

extension Router<ServerRequestContext> {
  /// Answers every path that has routes, when it is asked with a method that has none, with 405 and `Allow`. To be
  /// called after all routes are there.
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
