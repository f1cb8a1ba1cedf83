// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird

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
