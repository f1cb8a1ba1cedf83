// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import PostgreSQL
import TestSupport
import Testing

@Suite(.database) struct BatchTests {
  private func storedReports() async throws -> Int64 {
    try await TestDatabase.current.pool.column("SELECT count(*) FROM reports", as: Int64.self)[0]
  }

  @Test func `every item of an array has its own result`() async throws {
    let id = UUID().uuidString.lowercased()
    let first = try Reports.json(["report_id": id])
    let body = """
      [\(first), {"number": 5}, \(first), {"number":"\\ud800"}, \(try Reports.json(["category": "spam"])),
       \(try Reports.json(["report_id": id, "category": "robocall"])), \(try Reports.json(["report_id": nil])),
       \(try Reports.json())]
      """
    try await TestServer.run { server in
      let response = try await server.report(body)
      #expect(response.status == .ok)
      let results = try Reports.results(of: response)
      #expect(
        results.map(\.status) == [
          "created", "invalid", "duplicate", "invalid", "invalid", "conflict", "invalid", "created",
        ])
      #expect(results[0].report_id == id && results[0].number == "+33199000248")
      #expect(results[1].errors?.map(\.pointer) == ["/number"])
      #expect(results[1].errors?.map(\.code) == ["wrong_type"])
      #expect(results[3].errors?.map(\.pointer) == [""])
      #expect(results[4].errors?.map(\.code) == ["unknown_category"])
      #expect(results[4].report_id != nil)
      #expect(results[6].errors?.map(\.pointer) == ["/report_id"])
    }
    #expect(try await storedReports() == 2)
  }

  @Test func `JSON lines are a batch`() async throws {
    let good = try Reports.json()
    let body = "\(good)\r\n\n  \n{\"number\":\n\(good)\n\(try Reports.json(["reporter": ""]))"
    try await TestServer.run { server in
      let response = try await server.report(body, type: "application/x-ndjson; charset=utf-8")
      #expect(response.status == .ok)
      let results = try Reports.results(of: response)
      #expect(results.map(\.status) == ["created", "invalid", "duplicate", "invalid"])
      #expect(results[1].errors?.map(\.code) == ["not_json"])
      #expect(results[3].errors?.map(\.pointer) == ["/reporter"])
    }
  }

  @Test func `a batch of a thousand items is accepted and a larger one refused`() async throws {
    let items = try (0..<1_000).map { try Reports.json(["reporter": "r\($0)"]) }
    try await TestServer.run { server in
      let full = try await server.report("[\(items.joined(separator: ","))]")
      #expect(full.status == .ok)
      #expect(try Reports.results(of: full).allSatisfy { $0.status == "created" })
      for (body, type) in [
        ("[\((items + [items[0]]).joined(separator: ","))]", "application/json"), ("[]", "application/json"),
        ((items + [items[0]]).joined(separator: "\n"), "application/x-ndjson"), ("\n", "application/x-ndjson"),
      ] {
        #expect(try await server.report(body, type: type).status == .unprocessableContent)
      }
      for body in ["[", "[{]", #"[{"number":"+33199000248"]"#, "", "nonsense"] {
        #expect(try await server.report(body).status == .badRequest)
      }
    }
    #expect(try await storedReports() == 1_000)
  }

  @Test func `an ID with different content is a conflict`() async throws {
    let id = UUID().uuidString
    let first = try Reports.json(["report_id": id])
    let other = try Reports.json(["report_id": id, "category": "survey"])
    try await TestServer.run { server in
      #expect(try await server.report(first).status == .created)
      let response = try await server.report(other)
      #expect(response.status == .conflict)
      #expect(response.headers[.contentType] == "application/problem+json")
      #expect(try await server.report(first).status == .ok)
    }
  }

  @Test func `a withdrawn report cannot be sent again`() async throws {
    let id = UUID().uuidString.lowercased()
    let report = try Reports.json(["report_id": id])
    try await TestServer.run { server in
      func withdraw(_ id: String, key: String) async throws -> HTTPResponse.Status {
        try await server.client.execute(
          uri: "/v1/reports/\(id)", method: .delete, headers: [.authorization: "Bearer \(key)"]
        ).status
      }
      #expect(try await server.report(report).status == .created)
      #expect(try await withdraw(id, key: "rf_wrong") == .unauthorized)
      #expect(try await withdraw(id, key: server.key) == .noContent)
      #expect(try await withdraw(id, key: server.key) == .noContent)
      #expect(try await withdraw(UUID().uuidString, key: server.key) == .notFound)
      #expect(try await withdraw("7", key: server.key) == .notFound)
      #expect(try await server.report(report).status == .gone)
      let results = try Reports.results(of: try await server.report("[\(report)]"))
      #expect(results.map(\.status) == ["withdrawn"])
    }
  }

  @Test func `an idempotency key replaces the report ID`() async throws {
    let key = HTTPField.Name("Idempotency-Key")!
    let id = UUID().uuidString.lowercased()
    let (without, with) = (try Reports.json(["report_id": nil]), try Reports.json(["report_id": id]))
    try await TestServer.run { server in
      let first = try await server.post("/v1/reports", without, headers: [key: "\"\(id)\""])
      #expect(first.status == .created)
      #expect(String(buffer: first.body).contains(id))
      #expect(try await server.post("/v1/reports", without, headers: [key: id]).status == .ok)
      #expect(try await server.post("/v1/reports", with, headers: [key: id.uppercased()]).status != .badRequest)
      #expect(try await server.post("/v1/reports", with, headers: [key: UUID().uuidString]).status == .badRequest)
      #expect(try await server.post("/v1/reports", without, headers: [key: "again"]).status == .badRequest)
      #expect(try await server.post("/v1/reports", without).status == .badRequest)
    }
  }

  @Test func `identifications count once for a batch`() async throws {
    let batch = UUID().uuidString.lowercased()
    @Sendable func body(_ named: Any, day: String) -> String {
      """
      {"batch_id":"\(batch)","items":[{"number":"+33199000248","region":null,"named":\(named),"unknown":0,\
      "day":"\(day)"},{"number":"0199000249","region":"FR","named":0,"unknown":1,"day":"\(day)"}]}
      """
    }
    let today = String(Date().ISO8601Format().prefix(10))
    try await TestServer.run { server in
      let first = try await server.post("/v1/identifications", body(3, day: today))
      #expect(first.status == .created)
      #expect(String(buffer: first.body) == #"{"batch_id":"\#(batch)","status":"created"}"#)
      #expect(try await server.post("/v1/identifications", body(3, day: today)).status == .ok)
      #expect(try await server.post("/v1/identifications", body(4, day: today)).status == .conflict)
      let wrong = try await server.post("/v1/identifications", body(-1, day: "soon"))
      #expect(wrong.status == .unprocessableContent)
      #expect(String(buffer: wrong.body).contains("/items/0/named"))
      let mistyped = try await server.post("/v1/identifications", body(#""3""#, day: today))
      #expect(mistyped.status == .badRequest)
      #expect(String(buffer: mistyped.body).contains(#""pointer":"/items/0/named""#))
      let empty = try await server.post("/v1/identifications", #"{"batch_id":"\#(batch)","items":[]}"#)
      #expect(empty.status == .unprocessableContent)
    }
  }
}
