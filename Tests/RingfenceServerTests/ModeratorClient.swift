// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Storage
import Testing

/// Simulates a moderator's browser: a session, pages, and forms with the page's token.
struct ModeratorClient {
  let client: ServerClient
  let cookie: String

  static func signIn(_ server: TestServer, as name: String, role: Role = .moderator) async throws -> ModeratorClient {
    let token = try await server.sessions.makeSignInToken(for: name, role: role, at: Date())
    let answer = try await server.client.execute(
      uri: "/sign-in", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
      body: ByteBuffer(string: "token=\(token)"))
    let cookie = try #require(answer.headers[.setCookie])
    return ModeratorClient(client: server.client, cookie: String(cookie.prefix { $0 != ";" }))
  }

  func get(_ uri: String, headers: HTTPFields = [:]) async throws -> TestResponse {
    var headers = headers
    headers[.cookie] = cookie
    headers[.accept] = "text/html"
    return try await client.execute(uri: uri, method: .get, headers: headers)
  }

  func page(_ uri: String) async throws -> String { String(buffer: try await get(uri).body) }

  /// - Parameter token: from a page.
  func post(_ uri: String, _ fields: [(String, String)], token: String) async throws -> TestResponse {
    let allowed = CharacterSet.alphanumerics
    let body = (fields + [("csrf", token)]).map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
    }.joined(separator: "&")
    let response = try await client.execute(
      uri: uri, method: .post,
      headers: [.cookie: cookie, .contentType: "application/x-www-form-urlencoded", .accept: "text/html"],
      body: ByteBuffer(string: body))
    // As a browser: the preview of a bulk decision has an address of its own.
    let address = response.headers[.location] ?? ""
    return address.hasPrefix("/moderation/bulk/preview?") ? try await get(address) : response
  }

  /// Sends the form of a page with some fields in addition to its hidden ones.
  func send(
    _ page: String, to action: String, _ fields: [(String, String)], at uri: String? = nil
  ) async throws -> TestResponse {
    let form = try #require(
      page.components(separatedBy: "<form").first {
        $0.contains("action=\"\(action)\"") || $0.contains("action=\"\(action)?")
      })
    let end = form.range(of: "</form>")?.lowerBound ?? form.endIndex
    let hidden = form[..<end].matches(of: /<input type="hidden" name="([a-z_]+)" value="([^"]*)">/).map {
      (String($0.1), String($0.2))
    }
    let token = try #require(hidden.first { $0.0 == "csrf" }).1
    return try await post(uri ?? action, hidden.filter { $0.0 != "csrf" } + fields, token: token)
  }
}

extension TestResponse {
  var text: String { String(buffer: body) }
}
