// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Storage
import TestSupport
import Testing

/// Forms of browsers that do not send `Sec-Fetch-Site`.
@Suite(.database) struct SameOriginTests {
  private func signIn(_ server: TestServer, _ token: String, origin: String?) async throws -> TestResponse {
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    if let origin { headers[.origin] = origin }
    return try await server.client.execute(
      uri: "/sign-in", method: .post, headers: headers, body: ByteBuffer(string: "token=\(token)"))
  }

  @Test func `a sign-in form from another origin is refused`() async throws {
    try await TestServer.run { server in
      // The test client omits the port of its host.
      let host = "localhost"
      let token = try await server.sessions.makeSignInToken(for: "Ada", at: Date())
      let others = [
        "https://attacker.example", "null", "", "http://localhost.example", "http://localhost:1",
        "http://\(host).attacker.example", "http://attacker.example/\(host)", "ftp://\(host)", host,
      ]
      for origin in others {
        let answer = try await signIn(server, token, origin: origin)
        #expect(answer.status == .forbidden, "\(origin)")
        #expect(answer.headers[.setCookie] == nil)
      }
      for origin in ["http://\(host)", "https://\(host.uppercased())", nil] {
        let token = try await server.sessions.makeSignInToken(for: "Ada", at: Date())
        #expect(try await signIn(server, token, origin: origin).status == .seeOther, "\(origin ?? "none")")
      }
    }
  }

  /// A key is not a cookie: browsers do not add it by themselves.
  @Test func `the API accepts requests from any origin`() async throws {
    try await TestServer.run { server in
      for _ in 0..<2 {
        let answer = try await server.post(
          "/v1/reports", try Reports.json(), headers: [.origin: "https://other.example"])
        #expect(answer.status == .created)
      }
    }
  }
}
