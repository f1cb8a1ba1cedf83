// SPDX-License-Identifier: Apache-2.0

import CurlHTTP
import Foundation
import OutboundHTTP
import Testing

@testable import PackCommands

/// Requests to servers that behave as their script says. `Tests/Security/test_hostile_servers.py` has servers without end.
@Suite(.timeLimit(.minutes(2))) struct OutboundHTTPTests {
  private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

  private func get(
    _ url: URL, idle: Duration = .seconds(60), limit: Int = 1_000, addresses: [String: String]? = nil,
    byProgram: Bool = false
  ) async throws -> String {
    func send(_ client: OutboundHTTP) async throws -> String {
      let (_, body) = try await client.send(OutboundRequest("GET", url), limit: limit, total: .seconds(60))
      return String(decoding: body, as: UTF8.self)
    }
    if byProgram { return try await send(OutboundHTTP(CurlProgram(idle: idle))) }
    return try await OutboundHTTP.withClient(idle: idle, addresses: addresses) { try await send($0) }
  }

  /// By libcurl, and by the program curl.
  @Test(
    arguments: [
      ("", HTTPClientError.endedEarly),
      ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", .endedEarly),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .endedEarly),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nhello\r\n", .malformed),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello", .malformed),
      ("HTTP/1.1 200 OK\r\nA field\r\n\r\nhello", .malformed),
      ("HTTP/9.9 200 OK\r\n\r\nhello", .malformed),
      ("HTTP/1.1 099 Odd\r\n\r\nhello", .malformed),
      ("hello", .malformed),
      ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nhello", .encoded("gzip")),
      ("HTTP/1.1 200 OK\r\nContent-Length: 5, 11\r\n\r\nhello", .tooLong(limit: 10)),
      ("HTTP/1.1 200 OK\r\n\r\nhello, hello", .tooLong(limit: 10)),
    ], [false, true])
  func `a bad answer is named`(_ row: (answer: String, error: HTTPClientError), byProgram: Bool) async throws {
    let server = try ScriptedServer(["/last": row.answer])
    await #expect(throws: row.error) { try await get(server.url("/last"), limit: 10, byProgram: byProgram) }
  }

  @Test func `the program curl sends fields, passes interim responses over, and can be missing`() async throws {
    let server = try ScriptedServer(["/": "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\(Self.whole)"])
    let client = OutboundHTTP(CurlProgram())
    let request = OutboundRequest("GET", server.url("/"), fields: ["Authorization": "Bearer a\"b\\c"])
    let (head, body) = try await client.send(request, limit: 5, total: .seconds(60))
    #expect(head.status == 200 && String(decoding: body, as: UTF8.self) == "hello")
    #expect(server.requests.first?.contains("Authorization: Bearer a\"b\\c\r\n") == true)
    await #expect(throws: PackFailure.self) {
      try await OutboundHTTP(CurlProgram(program: "no-such-curl")).send(request, limit: 5, total: .seconds(60))
    }
  }

  @Test(arguments: [false, true])
  func `a server that is silent, and one that does not exist, are named`(byProgram: Bool) async throws {
    let server = try ScriptedServer(["/silent": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"])
    await #expect(throws: HTTPClientError.silent) {
      try await get(server.url("/silent"), idle: .milliseconds(300), byProgram: byProgram)
    }
    await #expect(throws: HTTPClientError.connectionFailed("there is no server named nobody.invalid")) {
      try await get(URL(string: "http://nobody.invalid/")!, byProgram: byProgram)
    }
    if !byProgram {
      await #expect(throws: HTTPClientError.connectionFailed("Connection refused")) {
        try await get(URL(string: "http://127.0.0.1:1/")!)
      }
    }
    await #expect(throws: HTTPClientError.unsupportedAddress) { try await get(URL(string: "file:///etc/passwd")!) }
  }

  @Test func `only pinned addresses are used`() async throws {
    let server = try ScriptedServer(["/": Self.whole])
    let addresses = ["pinned.invalid": "127.0.0.1"]
    #expect(try await get(server.url("/", host: "pinned.invalid"), addresses: addresses) == "hello")
    #expect(server.requests.first?.contains("Host: pinned.invalid:\(server.port)\r\n") == true)
    await #expect(throws: HTTPClientError.unsupportedAddress) { try await get(server.url("/"), addresses: addresses) }
    #expect(server.connections == 1)
  }

  @Test func `connections are kept, but not for requests with a body`() async throws {
    let server = try ScriptedServer(["/": Self.whole])
    try await OutboundHTTP.withClient { client in
      for body in [nil, nil, Data("four".utf8), nil] {
        let request = OutboundRequest(body == nil ? "GET" : "POST", server.url("/"), body: body)
        _ = try await client.send(request, limit: 10, total: .seconds(60))
      }
    }
    #expect(server.requests.count == 4 && server.connections == 2)
    #expect(server.requests[2].hasPrefix("POST / HTTP/1.1\r\n") && server.requests[2].hasSuffix("\r\n\r\nfour"))
  }

  @Test func `errors of the receivers end the transfer`() async throws {
    struct Refused: Error {}
    let server = try ScriptedServer(["/silent": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"])
    try await OutboundHTTP.withClient { client in
      let request = OutboundRequest("GET", server.url("/silent"))
      await #expect(throws: Refused.self) {
        try await client.send(request, limit: 10, total: .seconds(60)) { _ in
          throw Refused()
        } body: { _ in
        }
      }
      await #expect(throws: Refused.self) {
        try await client.send(request, limit: 10, total: .seconds(60)) { _ in
        } body: { _ in
          throw Refused()
        }
      }
    }
  }

  @Test(arguments: [false, true])
  func `a canceled transfer ends while its server is silent`(byProgram: Bool) async throws {
    let server = try ScriptedServer(["/silent": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"])
    let pieces = AsyncStream<Data>.makeStream()
    let transfer = Task {
      let request = OutboundRequest("GET", server.url("/silent"))
      let work: @Sendable (OutboundHTTP) async throws -> Void = { client in
        try await client.send(request, limit: 10, total: .seconds(600)) { _ in
        } body: {
          pieces.continuation.yield($0)
        }
      }
      if byProgram { return try await work(OutboundHTTP(CurlProgram(idle: .seconds(600)))) }
      try await OutboundHTTP.withClient(idle: .seconds(600)) { try await work($0) }
    }
    for await _ in pieces.stream { break }
    transfer.cancel()
    await #expect(throws: CancellationError.self) { try await transfer.value }
  }

  @Test func `a field with a line break is not sent`() async throws {
    let server = try ScriptedServer(["/": Self.whole])
    try await OutboundHTTP.withClient { client in
      let request = OutboundRequest("GET", server.url("/"), fields: ["If-None-Match": "a\r\nX: b"])
      await #expect(throws: HTTPClientError.malformed) {
        try await client.send(request, limit: 10, total: .seconds(60))
      }
    }
    #expect(server.connections == 0)
  }
}
