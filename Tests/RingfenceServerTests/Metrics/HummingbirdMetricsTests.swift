// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Metrics
import ServerSupport
import Testing

@Suite struct HummingbirdMetricsTests {
  @Test func `metrics of Hummingbird appear`() async throws {
    let factory = PrometheusMetricsFactory()
    try await withMetricsFactory(factory) {
      let router = Router()
      router.add(middleware: MetricsMiddleware())
      router.get("/things/:id") { _, _ in "a thing" }
      let answers = try await router.answers(to: ["/things/7"])
      #expect(answers.map(\.status) == [.ok])
    }
    let text = await factory.text()
    let labels = #"http_request_method="GET",http_response_status_code="200",http_route="/things/{id}""#
    #expect(text.contains("\nhb_requests_total{\(labels)} 1\n"))
    #expect(text.contains("\nhttp_server_request_duration_seconds_count{\(labels)} 1\n"))
    #expect(text.contains("\nhttp_server_active_requests{http_request_method=\"GET\"} 0\n"))
  }
}
