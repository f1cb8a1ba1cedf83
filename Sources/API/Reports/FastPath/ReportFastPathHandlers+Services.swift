// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
import Intake
package import Logging

extension ReportFastPathHandlers {
  /// The fast path of a server.
  package convenience init(
    services: APIServices, trustsProxy: Bool, metrics: RequestMetrics, log: RequestLog, logger: Logger
  ) {
    self.init(
      ReportFastPath(
        intake: services.intake, limiter: services.limiter, apps: services.apps,
        networkPseudonym: services.pseudonymizer.network(of:), trustsProxy: trustsProxy, logger: logger,
        metrics: metrics, log: log))
  }
}
