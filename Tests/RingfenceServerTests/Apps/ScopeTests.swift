// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import ModerationSite
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing
@testable import HTTPServer
@testable import RingfenceCommand

/// Scopes apply to requests on the fast path too.
@Suite(.database) struct ScopeTests {
  private var apps: AppStore { AppStore(pool: TestDatabase.current.pool) }

  private func get(_ server: TestServer, _ uri: String, key: String?) async throws -> TestResponse {
    var headers = HTTPFields()
    if let key { headers[.authorization] = "Bearer \(key)" }
    return try await server.client.execute(uri: uri, method: .get, headers: headers)
  }

  @Test func `a key allows only the actions of its scopes`() async throws {
    let reporting = try await apps.create(name: "Reporter", scopes: .report, at: Date()).key
    let asking = try await apps.create(name: "Asker", scopes: [.lookup, .fetch], at: Date()).key
    try await TestServer.run { server in
      #expect(try await server.report(try Reports.json(), key: reporting).status == .created)
      // Without the refusal, the second request would use the fast path.
      for _ in 0..<2 {
        let refused = try await server.report(try Reports.json(), key: asking)
        #expect(refused.status == .forbidden)
        #expect(String(buffer: refused.body).contains("/problems/scope"))
      }
      let id = UUID().uuidString
      let withdrawn = try await server.client.execute(
        uri: "/v1/reports/\(id)", method: .delete, headers: [.authorization: "Bearer \(asking)"])
      #expect(withdrawn.status == .forbidden)
      #expect(try await server.post("/v1/identifications", "{}", key: reporting).status == .forbidden)
      for path in ["/v1/numbers/33199000248", "/v1/numbers/by-hash/5ae2"] {
        #expect(try await get(server, path, key: asking).status == .ok)
        #expect(try await get(server, path, key: reporting).status == .forbidden)
      }
    }
    let keys = try await TestDatabase.current.pool.withConnection { connection in
      try await connection.query("SELECT key_id FROM reports").map { try $0.decode(0, as: Int32?.self) }
    }
    #expect(keys == [try await apps.keys(of: "Reporter").first?.id])
  }

  @Test func `publications need a key if the operator requires one`() async throws {
    let fetching = try await apps.create(name: "Fetcher", scopes: .fetch, at: Date()).key
    let reporting = try await apps.create(name: "Reporter", scopes: .report, at: Date()).key
    for needsKey in [false, true] {
      try await TestDatabase.current.pool.withConnection { connection in
        _ = try await connection.execute(
          "DELETE FROM app_keys WHERE app_id = (SELECT app_id FROM apps WHERE name = 'Test app')")
        _ = try await connection.execute("DELETE FROM apps WHERE name = 'Test app'")
      }
      try await TestServer.run(configure: { $0.access.publicationsNeedKey = needsKey }) { server in
        let packs = "\(server.folder.path)/packs"
        try FileManager.default.createDirectory(atPath: packs, withIntermediateDirectories: true)
        try Data("pack".utf8).write(to: URL(filePath: "\(packs)/a.rfpack"))
        let bare = try await get(server, "/v1/packs/a.rfpack", key: nil)
        #expect(bare.status == (needsKey ? .unauthorized : .ok))
        let mine = try await get(server, "/v1/packs/a.rfpack", key: fetching)
        #expect(mine.status == .ok)
        #expect(mine.headers[.cacheControl]?.contains("public") == !needsKey)
        let theirs = try await get(server, "/v1/summary", key: reporting)
        #expect(theirs.status == (needsKey ? .forbidden : .notFound))
      }
    }
  }

  @Test func `a form from before another change gives no scope back`() async throws {
    _ = try await apps.create(name: "Phone", scopes: [.report, .lookup], at: Date())
    let key = try #require(try await apps.keys(of: "Phone").first)
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let address = "/moderation/apps/keys/\(key.id)"
      let page = try await chief.page(address)
      try await apps.change(keyID: key.id, to: .report, at: Date())
      let late = try await chief.send(page, to: "\(address)/scopes", [("scope", "lookup"), ("scope", "report")])
      #expect(late.status == .unprocessableContent && late.text.contains("they are now: report."))
      #expect(late.text.contains("value=\"lookup\" checked"))
      #expect(try await apps.keys(of: "Phone").first?.scopes == .report)
      let again = try await chief.send(late.text, to: "\(address)/scopes", [("scope", "lookup")])
      #expect(again.status == .seeOther)
      #expect(try await apps.keys(of: "Phone").first?.scopes == .lookup)
    }
  }
}
