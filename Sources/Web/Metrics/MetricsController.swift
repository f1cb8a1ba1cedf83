import HTTPTypes
import Hummingbird
import NIOCore
import Telemetry

/// `GET /metrics`, for Prometheus.
struct MetricsController: Sendable {
  let metrics: MetricsRegistry
  let access: MetricsAccess

  @Sendable func read(_ request: Request, context: WebContext) async throws -> Response {
    guard access.admits(request, from: context.socketAddress) else { throw Problem.metricsRefused }
    let wantsOpenMetrics = request.headers[.accept]?.contains("application/openmetrics-text") ?? false
    let format: Exposition.Format = wantsOpenMetrics ? .openMetrics : .prometheus
    return Response(
      status: .ok, headers: [.contentType: format.contentType, .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: await metrics.text(format))))
  }
}

extension Problem {
  static let metricsRefused = Problem(
    .unauthorized,
    detail: "Ask from the server's own machine, or send the token of RINGFENCE_METRICS_TOKEN as a bearer.")
}
