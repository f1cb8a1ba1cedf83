// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import Hummingbird
import Logging
import Metrics
import Telemetry
import struct Telemetry.RequestID

/// Assigns an id to each request, records its duration, and logs it if enabled. It uses the route's pattern, because
/// addresses may contain numbers and secrets.
package struct ObservationMiddleware: RouterMiddleware {
  package let metrics: RequestMetrics
  package let log: RequestLog

  package init(metrics: RequestMetrics, log: RequestLog) {
    self.metrics = metrics
    self.log = log
  }

  package static let field = HTTPField.Name("X-Request-Id")!

  package func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let began = ContinuousClock.now
    let id = RequestID(given: request.headers[Self.field])
    var context = context
    context.logger[metadataKey: "hb.request.id"] = .string(id.text)
    metrics.inProgress.increment()
    defer { metrics.inProgress.decrement() }
    do {
      var response = try await next(request, context)
      response.headers[Self.field] = id.text
      note(request, context, id, status: response.status.code, since: began)
      return response
    } catch {
      // Only errors that the server answers itself before it closes the connection arrive here.
      note(request, context, id, status: 400, since: began)
      throw error
    }
  }

  private func note(
    _ request: Request, _ context: ServerRequestContext, _ id: RequestID, status: Int,
    since began: ContinuousClock.Instant
  ) {
    let duration = ContinuousClock.now - began
    let route = context.route
    metrics.note(route: route, method: request.method, status: status, duration: duration)
    log.note(route: route ?? "none", method: request.method.rawValue, id: id, status: status, duration: duration)
  }
}

extension ServerRequestContext {
  /// The pattern of the matching route, such as `/v1/numbers/{number}`; nil if none matches.
  package var route: String? {
    endpointPath.flatMap { $0 == "NotFound" ? nil : $0 }
  }
}
