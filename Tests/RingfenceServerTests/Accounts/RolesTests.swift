// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PostgreSQL
import TestSupport
import Testing

@testable import HTTPServer

/// Compares the permissions of each role with every route under `/moderation`.
@Suite(.database) struct RolesTests {
  /// The lowest role for an address: the first entry with its prefix. GET, then POST if it differs.
  private static let table: [(path: String, get: Role, post: Role)] = [
    ("/moderation/accounts", .administrator, .administrator),
    ("/moderation/account", .triage, .triage),
    ("/moderation/audit", .moderator, .moderator),
    ("/moderation/queue", .triage, .triage),
    ("/moderation/team", .moderator, .moderator),
    ("/moderation/transparency", .moderator, .moderator),
    ("/moderation/templates", .administrator, .administrator),
    ("/moderation/assignments", .administrator, .administrator),
    ("/moderation/watched", .triage, .triage),
    ("/moderation/numbers/{number}/take-over", .administrator, .administrator),
    ("/moderation/numbers/{number}/reporters", .moderator, .moderator),
    ("/moderation/numbers", .triage, .triage),
    ("/moderation/bulk", .moderator, .moderator),
    ("/moderation/search", .triage, .triage),
    ("/moderation/publications", .triage, .administrator),
    ("/moderation/recipes", .triage, .triage),
    ("/moderation/clients", .triage, .triage),
    ("/moderation/usefulness", .moderator, .moderator),
    ("/moderation/appeals", .moderator, .moderator),
    ("/moderation/reviews/{number}/{decision}/settle", .administrator, .administrator),
    ("/moderation/reviews/activation", .administrator, .administrator),
    ("/moderation/reviews", .moderator, .moderator),
    ("/moderation/agreement", .moderator, .moderator),
    ("/moderation/golden", .administrator, .administrator),
    ("/moderation/reporters", .moderator, .moderator),
    ("/moderation/ranges", .moderator, .moderator),
    ("/moderation/protected", .moderator, .administrator),
    ("/moderation/sources", .administrator, .administrator),
    ("/moderation/thresholds/edit", .administrator, .administrator),
    ("/moderation/thresholds/preview", .administrator, .administrator),
    ("/moderation/thresholds", .moderator, .administrator),
    ("/moderation/health", .moderator, .moderator),
    ("/moderation/apps", .administrator, .administrator),
    ("/moderation", .triage, .triage),
  ]

  private static func least(_ path: String, _ method: HTTPRequest.Method) -> Role? {
    let row = table.first { path == $0.path || path.hasPrefix($0.path + "/") && $0.path != "/moderation" }
    return row.map { method == .get ? $0.get : $0.post }
  }

  @Test func `every route requires its role`() async throws {
    let routes = Routes()
    try await TestServer.run(routes: routes) { server in
      let sessions = try await Self.sessions(server)
      let moderation = routes.all.filter { $0.path.hasPrefix("/moderation") }
      #expect(moderation.count > 10)
      for route in moderation {
        let least = Self.least(route.path, route.method)
        #expect(least != nil, "\(route.method) \(route.path) stands in no line of the table")
        for (role, session) in sessions where role < least ?? .triage {
          let path = route.path.replacing(/[:{][A-Za-z_]+\}?/, with: "1")
          let response = try await server.client.execute(
            uri: path, method: route.method,
            headers: [
              .cookie: "ringfence_session=\(session)", .accept: "text/html",
              .contentType: "application/x-www-form-urlencoded",
            ], body: ByteBuffer(string: "csrf=\(FormToken.make(session: session))"))
          #expect(response.status == .forbidden, "\(role) may \(route.method) \(route.path)")
          let page = String(buffer: response.body)
          #expect(page.contains("<h1>Only for \((least ?? .triage).rawValue)s</h1>"), "\(route.path)")
        }
      }
      // Without a session nothing is shown or accepted.
      for route in moderation {
        let path = route.path.replacing(/[:{][A-Za-z_]+\}?/, with: "1")
        let response = try await server.client.execute(uri: path, method: route.method)
        #expect(response.status == .seeOther, "\(route.path)")
      }
    }
  }

  /// From the front page on, two links deep; the queue has a number with an appeal and a proposed range.
  @Test(arguments: Role.allCases) func `every link leads to a page that the role may open`(_ role: Role) async throws {
    let time = Date(timeIntervalSince1970: 1_795_000_000)
    try await TestDatabase.current.pool.withConnection { connection in
      _ = try await connection.execute(
        """
        INSERT INTO queue (number, causes, urgency, country, since)
        VALUES (33199000248, 1, 0, 'FR', \(time)), (33199000240, \(QueueCause.range.bit), 0, 'FR', \(time))
        """)
      _ = try await connection.execute(
        """
        INSERT INTO ranges (number, pattern, app_id, prefix, firsts, lasts, state, treatment, category_id, members, heat, proposed_at)
        VALUES (33199000240, '+3319900024x', 0, 3319900024, '{33199000240}', '{33199000249}', 'proposed', 'block',
                8, 5, 1, \(time))
        """)
      _ = try await connection.execute(
        """
        INSERT INTO appeals (number, appeal_id, state, statement, filed_at)
        VALUES (33199000248, \(UUID()), 'open', 'Mine.', \(time))
        """)
    }
    try await TestServer.run { server in
      let session = try await server.session(role)
      var seen: Set<String> = ["/moderation"]
      var next = ["/moderation"]
      for _ in 0..<3 {
        var found: [String] = []
        for address in next {
          let response = try await server.client.execute(
            uri: address, method: .get, headers: [.cookie: "ringfence_session=\(session)", .accept: "text/html"])
          #expect(response.status != .forbidden, "\(role) is led to \(address)")
          guard response.headers[.contentType]?.hasPrefix("text/html") == true else { continue }
          let page = String(buffer: response.body)
          // Commands need access to the server's data.
          let command = page.firstMatch(of: /ringfence [a-z-]+/)
          #expect(role == .administrator || command == nil, "\(address): \(command?.output ?? "")")
          let links = page.matches(of: /href="(\/moderation[^"#]*)/).map {
            String($0.1).replacing("&amp;", with: "&")
          }
          found += links.filter { seen.insert($0).inserted }
        }
        next = found
      }
      for number in ["33199000248", "33199000240"] {
        #expect(seen.contains { $0.hasPrefix("/moderation/numbers/\(number)") })
      }
    }
  }

  @Test func `a form without its token changes nothing`() async throws {
    let routes = Routes()
    try await TestServer.run(routes: routes) { server in
      let session = try #require(try await Self.sessions(server)[.administrator])
      for route in routes.all where route.path.hasPrefix("/moderation") && route.method == .post {
        let path = route.path.replacing(/[:{][A-Za-z_]+\}?/, with: "1")
        for token in ["", "csrf=", "csrf=\(FormToken.make(session: "another"))"] {
          let response = try await server.client.execute(
            uri: path, method: .post,
            headers: [
              .cookie: "ringfence_session=\(session)", .accept: "text/html",
              .contentType: "application/x-www-form-urlencoded",
            ], body: ByteBuffer(string: token))
          #expect(response.status == .forbidden, "\(path) \(token)")
          #expect(String(buffer: response.body).contains("Form expired"))
        }
      }
    }
  }

  @Test func `an administrator needs a second factor from the second sign-in on`() async throws {
    try await TestServer.run { server in
      for (turn, status) in [(1, HTTPResponse.Status.ok), (2, .seeOther)] {
        let session = try #require(try await Self.sessions(server)[.administrator])
        func get(_ path: String) async throws -> TestResponse {
          try await server.client.execute(uri: path, method: .get, headers: [.cookie: "ringfence_session=\(session)"])
        }
        let home = try await get("/moderation")
        #expect(home.status == status, "turn \(turn)")
        if status == .seeOther { #expect(home.headers[.location] == "/moderation/account/second-factor") }
        #expect(try await get("/moderation/account").status == .ok)
        #expect(try await get("/moderation/account/second-factor").status == .ok)
      }
    }
  }

  private static func sessions(_ server: TestServer) async throws -> [Role: String] {
    var sessions: [Role: String] = [:]
    for role in Role.allCases { sessions[role] = try await server.session(role) }
    return sessions
  }
}
