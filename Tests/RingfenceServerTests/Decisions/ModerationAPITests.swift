// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import HTTPServer
@testable import RingfenceCommand

/// The moderation API: decisions of service accounts with the rules of the pages.
@Suite(.database) struct ModerationAPITests {
  private let number: Int64 = 33_199_000_248
  private var decisions: DecisionStore { DecisionStore(pool: pool) }

  private func key(_ scopes: AppScopes = .moderate, named name: String = "bot") async throws -> String {
    try await AppStore(pool: pool).create(name: name, scopes: scopes, at: Date()).key
  }

  private func enqueue(_ numbers: [Int64]) async throws {
    _ = try await pool.run(SQL.enqueueCases(numbers.map { ($0, .threshold) }, at: Date()))
  }

  private func send(
    _ server: TestServer, _ path: String, _ body: String, key: String, id: UUID? = UUID(),
    type: String = "application/json"
  ) async throws -> (status: Int, json: [String: Any]) {
    var headers: HTTPFields = [:]
    if let id { headers[HTTPField.Name("Idempotency-Key")!] = id.uuidString }
    let answer = try await server.post("/v1/moderation/\(path)", body, key: key, type: type, headers: headers)
    return (answer.status.code, Self.json(answer))
  }

  private func get(
    _ server: TestServer, _ path: String, key: String, method: HTTPRequest.Method = .get
  ) async throws -> (status: Int, json: [String: Any]) {
    let answer = try await server.client.execute(
      uri: "/v1/moderation/\(path)", method: method, headers: [.authorization: "Bearer \(key)"])
    return (answer.status.code, Self.json(answer))
  }

  private static func json(_ answer: TestResponse) -> [String: Any] {
    let data = Data(answer.body.readableBytesView)
    return (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:]
  }

  private static func codes(_ json: [String: Any]) -> [String] {
    (json["errors"] as? [[String: Any]] ?? []).map { "\($0["pointer"] ?? "") \($0["code"] ?? "")" }
  }

  private func holds(_ id: UUID, _ key: String, _ server: TestServer, _ state: String) async throws -> [String: Any] {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      let run = try await get(server, "bulks/\(id)", key: key).json
      if run["state"] as? String == state { return run }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("The bulk decision is not \(state).")
    return [:]
  }

  @Test func `a repeated decision is made once and the audit log names the service account`() async throws {
    try await TestServer.run { server in
      let (key, id) = (try await key(), UUID())
      try await enqueue([number])
      let body = #"{"decision":"block","category":"fraud","reason":"Confirmed.","expires_days":90}"#
      let first = try await send(server, "cases/\(number)/decisions", body, key: key, id: id)
      #expect(first.status == 201 && first.json["status"] as? String == "decided")
      // The connection was lost before the answer.
      let again = try await send(server, "cases/\(number)/decisions", body, key: key, id: id)
      #expect(again.status == 200 && again.json["status"] as? String == "duplicate")
      let other = #"{"decision":"allow","reason":"Wrong."}"#
      #expect(try await send(server, "cases/\(number)/decisions", other, key: key, id: id).status == 409)
      #expect(try await send(server, "cases/\(number)/decisions", other, key: key, id: nil).status == 400)
      let history = try await decisions.history(of: number)
      #expect(history.map(\.decidedBy) == ["app:bot"] && history[0].expiresAt != nil)
      let events = try await AuditLog(pool: pool).events(AuditFilter(action: "decision."), limit: 10)
      #expect(events.map(\.event.actor) == ["app:bot"] && events.map(\.event.role) == ["moderator"])

      // A decision in force is replaced only by its id.
      let stale = try await send(server, "cases/\(number)/decisions", other, key: key)
      #expect(stale.status == 409 && stale.json["type"] as? String == "/problems/case-decided")
      let replacing = #"{"decision":"allow","reason":"Wrong.","replaces":"\#(id)"}"#
      let replaced = try await send(server, "cases/\(number)/decisions", replacing, key: key)
      let file = try await get(server, "cases/\(number)", key: key).json
      let newest = try #require(replaced.json["decision_id"] as? String)
      #expect(replaced.status == 201 && file["decision_in_force"] as? String == newest)
      for _ in 0..<2 {
        let undone = try await get(server, "cases/\(number)/decisions/\(newest)", key: key, method: .delete)
        #expect(undone.status == 204)
      }
      #expect(try await decisions.standing(of: number)?.decisionID == id)
      let missing = try await get(server, "cases/\(number)/decisions/\(UUID())", key: key, method: .delete)
      #expect(missing.status == 404)
    }
  }

  @Test func `claims, levels, protection, appeals and texts are those of the pages`() async throws {
    try await TestServer.run { server in
      let key = try await key()
      let numbers = (0..<5).map { number + Int64($0) * 1_000 }
      try await enqueue(Array(numbers.prefix(2)))
      let claims = ClaimService(pool: pool)
      let ada = Actor(name: "Ada", role: .moderator)
      _ = try await claims.claim(numbers[0], by: ada, at: Date())
      #expect(try await claims.escalate(numbers[1], by: ada, to: nil, at: Date()))
      try await ProtectionStore(pool: pool).add([(.number(numbers[2]), "A hospital")], by: "Root", at: Date())
      let filing = try AppealFiling(number: numbers[3], statement: "My shop.", contact: nil, filedAt: Date())
      _ = try await AppealService(pool: pool).file(
        filing, ticket: AppealTicket(), stamp: ([UInt8](repeating: 1, count: 16), Date() + 60))
      let block = #"{"decision":"block","reason":"Confirmed."}"#
      let allow = #"{"decision":"allow","reason":"Checked."}"#
      func refusal(_ index: Int, _ body: String) async throws -> String {
        let answer = try await send(server, "cases/\(numbers[index])/decisions", body, key: key)
        let type = answer.json["type"] as? String ?? ""
        return ([String(answer.status), type] + Self.codes(answer.json)).joined(separator: " ")
      }
      #expect(try await refusal(0, block) == "409 /problems/case-claimed")
      #expect(try await refusal(1, block) == "403 /problems/scope")
      #expect(try await refusal(2, block) == "422 /problems/invalid-decision /number number_protected")
      for body in [block, allow] {
        #expect(try await refusal(3, body) == "422 /problems/invalid-decision /appeal appeal_open")
      }
      for (body, code) in [
        (#"{"decision":"block"}"#, "/reason reason_missing"),
        (#"{"decision":"ban"}"#, "/decision decision_not_offered"),
        (#"{"decision":"block","reason":"x","category":"spam"}"#, "/category category_unknown"),
        (#"{"decision":"block","reason":"x","expires_days":7}"#, "/expires_days expiry_not_offered"),
        (#"{"decision":"identify","reason":"x"}"#, "/label label_missing"),
      ] { #expect(try await refusal(4, body) == "422 /problems/invalid-decision \(code)") }
      #expect(try await refusal(4, "{").hasPrefix("400"))
      // The field, the value, and the values that are allowed.
      for (body, details) in [
        (#"{"decision":"ban"}"#, [#""ban": "#, "block, identify or allow"]),
        (#"{"decision":"block","reason":"x","category":"spam"}"#, [#""spam": "#, "fraud, ", ", robocall"]),
        (#"{"decision":"block","reason":"x","expires_days":7}"#, [#""7": "#, "30, 90 or 365 days"]),
      ] {
        let answer = try await send(server, "cases/\(numbers[4])/decisions", body, key: key)
        let detail = (answer.json["errors"] as? [[String: Any]])?.first?["detail"] as? String ?? ""
        for text in details { #expect(detail.contains(text), "\(detail)") }
      }
      for number in numbers { #expect(try await decisions.history(of: number).isEmpty) }
      // A higher level needs the scope administer.
      let administrator = try await self.key([.moderate, .administer], named: "root bot")
      #expect(
        try await send(server, "cases/\(numbers[1])/decisions", block, key: administrator).status == 201)
    }
  }

  @Test func `a proposal is shown to people, who decide`() async throws {
    try await TestServer.run { server in
      let key = try await key()
      try await enqueue([number])
      let body = #"{"decision":"block","category":"fraud","reason":"<b>Score</b> 0.9","needs_person":true}"#
      let answer = try await send(server, "cases/\(number)/decisions", body, key: key)
      #expect(answer.status == 201 && answer.json["status"] as? String == "proposed")
      #expect(try await send(server, "cases/\(number + 9)/decisions", body, key: key).status == 404)
      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let list = try await get(server, "cases?limit=1", key: key).json
      #expect((list["cases"] as? [[String: Any]])?.count == 1)
      let page = try await ada.page("/moderation/numbers/\(number)")
      #expect(page.contains("app:bot proposes:") && page.contains("&lt;b&gt;Score&lt;/b&gt; 0.9"))
      let uri = "/moderation/numbers/\(number)"
      let decided = try await ada.send(page, to: "\(uri)/decision", [("decision", "allow"), ("reason", "x")])
      #expect(decided.status == .seeOther)
      let file = try await get(server, "cases/\(number)", key: key).json
      #expect((file["proposals"] as? [Any])?.isEmpty == true && file["case"] == nil)
    }
  }

  @Test func `the queue has filters, orders and a cursor`() async throws {
    try await TestServer.run { server in
      let key = try await key()
      try await enqueue((0..<5).map { number + Int64($0) } + [49_301_234_567])
      var (seen, cursor) = ([String](), "")
      repeat {
        let page = try await get(server, "cases?country=FR&limit=2\(cursor)", key: key).json
        seen += (page["cases"] as? [[String: Any]] ?? []).compactMap { $0["number"] as? String }
        cursor = (page["next"] as? String).map { "&cursor=\($0)" } ?? ""
      } while !cursor.isEmpty
      #expect(seen.sorted() == (0..<5).map { "+\(number + Int64($0))" })
      for query in ["limit=0", "cursor=x", "sort=best", "country=fr", "category=spam", "cause=x", "days=2"] {
        let refused = try await get(server, "cases?\(query)", key: key)
        #expect(refused.status == 400, "\(query)")
        let (detail, parts) = (refused.json["detail"] as? String ?? "", query.split(separator: "="))
        #expect(detail.contains("\(parts[0]) is \"\(parts[1])\""), "\(detail)")
        if query == "cause=x" { #expect(detail.contains("threshold, held, appeal, range, split, protected")) }
        if query == "category=spam" { #expect(detail.contains("fraud, ")) }
      }
    }
  }

  @Test func `a file is checked, decided in the background, repeated and undone`() async throws {
    try await TestServer.run { server in
      let (key, id) = (try await key(), UUID())
      let numbers = (0..<300).map { number + Int64($0) * 1_000 }
      let csv = "number,decision,category,reason\n" + numbers.map { "+\($0),block,fraud,Campaign.\n" }.joined()
      func upload(_ body: String, _ query: String = "", id: UUID, type: String = "text/csv") async throws -> (
        status: Int, json: [String: Any]
      ) {
        try await send(server, "bulks\(query)", body, key: key, id: id, type: type)
      }
      let wrong = csv + "+33199000248,block,fraud,x\n12x,allow,,\n"
      let refused = try await upload(wrong, id: id)
      #expect(refused.status == 422)
      #expect(Self.codes(refused.json) == ["/302/number number_repeated", "/303/number not_a_number"])
      let checked = try await upload(wrong, "?dry_run=true", id: id)
      #expect(checked.status == 200 && checked.json["state"] as? String == "checked")
      #expect(checked.json["rows"] as? Int == 300 && checked.json["wrong"] as? Int == 2)
      #expect(try await get(server, "bulks/\(id)", key: key).status == 404)
      #expect(try await decisions.history(of: numbers[0]).isEmpty)
      let empty = try await upload("number,decision\n", id: id)
      #expect(empty.status == 422 && Self.codes(empty.json) == ["/1/rows no_rows"])

      let accepted = try await upload(wrong, "?skip_invalid=true", id: id)
      #expect(accepted.status == 202 && accepted.json["rows"] as? Int == 300 && accepted.json["wrong"] as? Int == 2)
      let done = try await holds(id, key, server, "done")
      #expect(done["decided"] as? Int == 300 && (done["left_out"] as? [Any])?.isEmpty == true)
      #expect(try await upload(wrong, "?skip_invalid=true", id: id).status == 200)
      #expect(try await upload("number,decision\n+33199000248,allow\n", id: id).status == 409)
      for number in [numbers[0], numbers[299]] { #expect(try await decisions.history(of: number).count == 1) }
      let second = try await upload(csv, id: UUID())
      #expect(second.status == 422 && Self.codes(second.json).first == "/2/number decision_in_force")

      #expect(try await get(server, "bulks/\(id)", key: key, method: .delete).status == 202)
      let undone = try await holds(id, key, server, "undone")
      #expect(undone["undone"] as? Int == 300)
      #expect(try await decisions.standing(of: numbers[0]) == nil)
      for (body, type) in [(csv, "application/json"), (csv, "text/plain")] {
        #expect(try await upload(body, id: UUID(), type: type).status == 415)
      }
      #expect(try await upload(csv, "?dry_run=yes", id: UUID()).status == 400)
    }
  }

  @Test func `an oversized file is refused before it is read`() async throws {
    try await TestServer.run { server in
      let (key, id) = (try await key(), UUID())
      let body = String(repeating: "x", count: BodyReader.fileLimit + 1)
      let answer = try await send(server, "bulks", body, key: key, id: id, type: "text/csv")
      #expect(answer.status == 413)
      let note = #"{"note":"\#(String(repeating: "x", count: BodyReader.objectLimit))"}"#
      #expect(try await send(server, "cases/\(number)/notes", note, key: key).status == 413)
    }
  }

  @Test func `notes, protected numbers and the audit log need their scopes`() async throws {
    try await TestServer.run { server in
      let (moderating, administering) = (try await key(), try await key(.administer, named: "root bot"))
      let id = UUID()
      for _ in 0..<2 {
        let answer = try await send(
          server, "cases/\(number)/notes", #"{"note":"The owner did not answer."}"#, key: moderating, id: id)
        #expect(answer.status == 204)
      }
      let file = try await get(server, "cases/\(number)", key: moderating).json
      #expect((file["notes"] as? [[String: Any]])?.map { $0["account"] as? String } == ["app:bot"])

      let protect = #"{"what":"+33199000*","reason":"A hospital"}"#
      #expect(try await send(server, "protected", protect, key: moderating).status == 403)
      let allow = #"{"decision":"allow"}"#
      #expect(try await send(server, "cases/\(number)/decisions", allow, key: administering).status == 403)
      let bank = #"{"what":"+33199000249","reason":"A bank","until":"2099-01-31T00:00:00Z"}"#
      for body in [protect, bank] {
        #expect(try await send(server, "protected", body, key: administering).status == 204, "\(body)")
      }
      for body in [
        #"{"what":"+3x","reason":"x"}"#, #"{"what":"+33199000249","reason":""}"#,
        #"{"what":"+33199000249","reason":"x","until":"2020-01-31T00:00:00Z"}"#,
      ] {
        #expect(try await send(server, "protected", body, key: administering).status == 422, "\(body)")
      }
      let list = try await get(server, "protected?limit=1", key: administering).json
      #expect(
        (list["protected"] as? [[String: Any]])?.compactMap { $0["what"] as? String } == ["+33199000*", "+33199000249"])
      for status in [204, 404] {
        let gone = try await get(server, "protected/%2B33199000*", key: administering, method: .delete)
        #expect(gone.status == status)
      }

      #expect(try await get(server, "audit-log", key: moderating).status == 403)
      let long = String(repeating: "x", count: 201)
      #expect(try await get(server, "audit-log?subject=\(long)", key: administering).status == 400)
      var (seen, cursor) = ([[String: Any]](), "")
      while true {
        let answer = try await server.client.execute(
          uri: "/v1/moderation/audit-log?actor=app:root%20bot&limit=2\(cursor)", method: .get,
          headers: [.authorization: "Bearer \(administering)"])
        let lines = String(buffer: answer.body).split(separator: "\n").compactMap {
          try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        guard let last = lines.last?["cursor"] as? String else { break }
        seen += lines
        cursor = "&cursor=\(last)"
      }
      #expect(
        seen.compactMap { $0["action"] as? String } == ["protection.remove", "protection.add", "protection.add"])
      #expect(Set(seen.compactMap { $0["id"] as? String }).count == 3)
    }
  }

  /// Each of 1,000 cases gets one decision: two moderators take the next case, and a bot walks through its list.
  @Test func `two moderators and a bot race for a thousand cases`() async throws {
    try await TestServer.run(configure: { $0.access.limits = .off }) { server in
      let key = try await key()
      let numbers = (0..<1_000).map { number + Int64($0) * 100 }
      try await enqueue(numbers)
      let (claims, service) = (ClaimService(pool: pool), DecisionService(pool: pool))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for name in ["Ada", "Bob"] {
          group.addTask {
            let worker = Actor(name: name, role: .moderator)
            while let item = try await claims.claimNext(by: worker, at: Date()) {
              let decision = try Decision(
                number: item.number, treatment: .block, reason: "x", decidedBy: name, decidedAt: Date())
              do {
                _ = try await service.record(decision, expecting: .this(nil), role: .moderator)
              } catch DecisionError.stale {}
            }
          }
        }
        group.addTask {
          for number in numbers.shuffled() {
            let answer = try await send(
              server, "cases/\(number)/decisions", #"{"decision":"block","reason":"x"}"#, key: key)
            #expect([201, 409].contains(answer.status), "\(answer)")
          }
        }
        try await group.waitForAll()
      }
      let row = try await pool.withConnection { connection in
        try await connection.query(
          "SELECT count(*), count(DISTINCT number), count(DISTINCT decided_by) FROM decisions")[0]
      }
      let counts: [Int64] = try (0..<3).map { try row.decode($0) }
      #expect(counts == [1_000, 1_000, 3])
      #expect(try await claims.claimNext(by: Actor(name: "Cleo", role: .moderator), at: Date()) == nil)
    }
  }
}
