// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import Hummingbird
import NIOCore
package import Telemetry

/// `GET /metrics`, for Prometheus.
package struct MetricsController: Sendable {
  package let metrics: PrometheusMetricsFactory
  package let access: MetricsAccess

  package init(metrics: PrometheusMetricsFactory, access: MetricsAccess) {
    self.metrics = metrics
    self.access = access
  }

  @Sendable package func read(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard access.admits(request) else { throw Problem.metricsRefused }
    let wantsOpenMetrics = request.headers[.accept]?.contains("application/openmetrics-text") ?? false
    let format: Exposition.Format = wantsOpenMetrics ? .openMetrics : .prometheus
    return Response(
      status: .ok, headers: [.contentType: format.contentType, .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: await metrics.text(format))))
  }
}

extension Problem {
  package static let metricsRefused = Problem(
    .unauthorized,
    detail: "Send the metrics token as a bearer token: RINGFENCE_METRICS_TOKEN, or metrics.token in the data folder.")
}
