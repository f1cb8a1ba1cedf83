// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HummingbirdTesting
import NIOCore

/// The answer of a server.
struct TestResponse: Sendable {
  let head: HTTPResponse
  let body: ByteBuffer

  var status: HTTPResponse.Status { head.status }
  var headers: HTTPFields { head.headerFields }
}

/// A client with a connection for each request: a server may close one after an answer. That of Hummingbird's test framework
/// has one for all, and ends a request after 20 seconds, which is too early on a busy machine.
struct ServerClient: Sendable {
  let port: Int

  @discardableResult
  func execute(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer? = nil
  ) async throws -> TestResponse {
    try await TestClient.withClient(host: "localhost", port: port, configuration: .init(timeout: .seconds(300))) {
      let answer = try await $0.execute(
        TestClient.Request(uri, method: method, authority: "localhost", headers: headers, body: body))
      return TestResponse(head: answer.head, body: answer.body ?? ByteBuffer())
    }
  }
}
