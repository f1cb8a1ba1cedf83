// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
package import ServerSupport

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
  static let metricsRefused = Problem(
    .unauthorized,
    detail: "Send the metrics token as a bearer token: RINGFENCE_METRICS_TOKEN, or metrics.token in the data folder.")
}

/// Access to the metrics by a bearer token.
///
/// The sender's address is not used: requests through a proxy on the same machine have a local address, and not every
/// proxy adds a forwarding header.
package struct MetricsAccess: Sendable {
  /// SHA-256 of the token; hashes are compared in constant time.
  private let token: SHA256.Digest?

  /// - Parameter token: nil refuses every request.
  package init(token: String?) {
    self.token = token.map { SHA256.hash(data: Data($0.utf8)) }
  }

  package func admits(_ request: Request) -> Bool {
    guard let token, let key = request.headers[.authorization].flatMap(BearerKey.key(ofBearer:)) else { return false }
    return SHA256.hash(data: Data(key.utf8)) == token
  }
}
