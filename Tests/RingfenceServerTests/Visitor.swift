// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Storage
import Testing

/// A person whose browser runs no scripts.
struct Visitor {
  let server: TestServer
  var session = ""
  var token = ""

  init(_ server: TestServer) {
    self.server = server
  }

  /// Signs in with an account of this role.
  init(_ server: TestServer, role: Role) async throws {
    self.server = server
    let token = try await server.sessions.makeSignInToken(for: "The \(role.rawValue)", role: role, at: Date())
    let answer = try await server.client.execute(
      uri: "/sign-in", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
      body: ByteBuffer(string: "token=\(token)"))
    session = String(try #require(answer.headers[.setCookie]).prefix { $0 != ";" })
    let page = try await get("/moderation")
    self.token = String(try #require(page.text.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/)?.1))
  }

  func get(_ uri: String, language: String = "en") async throws -> (
    status: HTTPResponse.Status, text: String, headers: HTTPFields
  ) {
    let answer = try await server.client.execute(
      uri: uri, method: .get, headers: [.cookie: session, .accept: "text/html", .acceptLanguage: language])
    return (answer.status, String(buffer: answer.body), answer.headers)
  }

  func post(
    _ uri: String, _ fields: KeyValuePairs<String, String>, _ more: KeyValuePairs<String, String> = [:]
  ) async throws -> (status: HTTPResponse.Status, text: String, location: String) {
    try await post(uri, (Array(fields) + Array(more)).map { ($0.key, $0.value) })
  }

  func post(
    _ uri: String, _ fields: [String: String]
  ) async throws -> (status: HTTPResponse.Status, text: String, location: String) {
    try await post(uri, fields.map { ($0.key, $0.value) })
  }

  func post(
    _ uri: String, _ fields: [(String, String)]
  ) async throws -> (status: HTTPResponse.Status, text: String, location: String) {
    let allowed = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
    let all = fields + (token.isEmpty ? [] : [("csrf", token)])
    let body = all.map { "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
      .joined(separator: "&")
    let answer = try await server.client.execute(
      uri: uri, method: .post,
      headers: [.cookie: session, .accept: "text/html", .contentType: "application/x-www-form-urlencoded"],
      body: ByteBuffer(string: body))
    return (answer.status, String(buffer: answer.body), answer.headers[.location] ?? "")
  }
}
