// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Storage
import TestSupport
import Testing

@Suite(.database) struct PagesTests {
  private func signIn(_ server: TestServer, _ token: String) async throws -> TestResponse {
    try await server.client.execute(
      uri: "/sign-in", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
      body: ByteBuffer(string: "token=\(token)"))
  }

  @Test func `a sign-in link works once`() async throws {
    try await TestServer.run { server in
      let token = try await server.sessions.makeSignInToken(for: "Ada", at: Date())
      let form = try await server.client.execute(uri: "/sign-in?token=\(token)", method: .get)
      #expect(String(buffer: form.body).contains(token))
      #expect(form.headers[.cacheControl] == "no-store")

      let first = try await signIn(server, token)
      #expect(first.status == .seeOther)
      let cookie = try #require(first.headers[.setCookie])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
      #expect(try await signIn(server, token).status == .forbidden)

      let session = String(cookie.prefix { $0 != ";" })
      let page = try await server.client.execute(uri: "/moderation", method: .get, headers: [.cookie: session])
      #expect(page.status == .ok)
      #expect(String(buffer: page.body).contains("Ada"))

      let csrf = try #require(String(buffer: page.body).firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/)?.1)
      let fields: HTTPFields = [
        .cookie: session, .contentType: "application/x-www-form-urlencoded", .accept: "text/html",
      ]
      let forged = try await server.client.execute(
        uri: "/sign-out", method: .post, headers: fields, body: ByteBuffer(string: "csrf=\(csrf.reversed())"))
      #expect(forged.status == .forbidden && String(buffer: forged.body).contains("Form expired"))
      let left = try await server.client.execute(
        uri: "/sign-out", method: .post, headers: fields, body: ByteBuffer(string: "csrf=\(csrf)"))
      #expect(left.status == .seeOther)
      let after = try await server.client.execute(uri: "/moderation", method: .get, headers: [.cookie: session])
      #expect(after.status == .seeOther)
    }
  }

  @Test func `a form from another site is refused`() async throws {
    try await TestServer.run { server in
      for site in ["cross-site", "same-site"] {
        let token = try await server.sessions.makeSignInToken(for: "Ada", at: Date())
        for uri in ["/sign-in", "/sign-out"] {
          let response = try await server.client.execute(
            uri: uri, method: .post,
            headers: [
              .contentType: "application/x-www-form-urlencoded", HTTPField.Name("Sec-Fetch-Site")!: site,
            ], body: ByteBuffer(string: "token=\(token)"))
          #expect(response.status == .forbidden)
          #expect(response.headers[.setCookie] == nil)
        }
        #expect(try await signIn(server, token).status == .seeOther)
      }
    }
  }

  @Test func `a public file is served completely and by its exact name only`() async throws {
    try await TestServer.run { server in
      let whole = try await server.client.execute(uri: "/ringfence.css", method: .get)
      #expect(whole.status == .ok)
      for range in ["bytes=-10", "bytes=999999-"] {
        let response = try await server.client.execute(uri: "/ringfence.css", method: .get, headers: [.range: range])
        #expect(response.status == .ok)
        #expect(response.body == whole.body)
      }
      for uri in ["/ringfence.css%00.txt", "/%00"] {
        #expect(try await server.client.execute(uri: uri, method: .get).status == .notFound)
      }
    }
  }

  @Test func `an expired link is refused`() async throws {
    try await TestServer.run { server in
      let token = try await server.sessions.makeSignInToken(for: "Ada", at: Date() - SessionStore.linkLifetime - 1)
      #expect(try await signIn(server, token).status == .forbidden)
    }
  }

  @Test func `a visitor without a session is sent to sign in`() async throws {
    try await TestServer.run { server in
      for uri in ["/moderation", "/moderation/numbers/33199000248"] {
        let response = try await server.client.execute(uri: uri, method: .get)
        #expect(response.status == .seeOther)
        #expect(response.headers[.location]?.hasPrefix("/sign-in") == true)
      }
    }
  }

  @Test func `text of a visitor is escaped`() async throws {
    try await TestServer.run { server in
      let response = try await server.client.execute(uri: "/sign-in?token=%22%3E%3Cscript%3E", method: .get)
      #expect(!String(buffer: response.body).contains("<script>"))
      let policy = response.headers[HTTPField.Name("Content-Security-Policy")!]
      #expect(policy?.contains("default-src 'none'") == true)
    }
  }
}
