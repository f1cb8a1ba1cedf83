// SPDX-License-Identifier: Apache-2.0

import Foundation
import OutboundHTTP
import Testing

/// Requests to servers that behave as their script says. `Tests/Security/test_hostile_servers.py` has servers without end.
@Suite(.timeLimit(.minutes(2))) struct OutboundHTTPTests {
  private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

  private func get(
    _ url: URL, idle: Duration = .seconds(60), limit: Int = 1_000, addresses: [String: String]? = nil
  ) async throws -> String {
    try await OutboundHTTP.withClient(idle: idle, addresses: addresses) { client in
      let (_, body) = try await client.send(OutboundRequest("GET", url), limit: limit, total: .seconds(60))
      return String(decoding: body, as: UTF8.self)
    }
  }

  @Test(arguments: [
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
  ])
  func `a bad answer is named`(answer: String, error: HTTPClientError) async throws {
    let server = try ScriptedServer(["/last": answer])
    await #expect(throws: error) { try await get(server.url("/last"), limit: 10) }
  }

  @Test func `a server that is silent, and one that does not exist, are named`() async throws {
    let server = try ScriptedServer(["/silent": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"])
    await #expect(throws: HTTPClientError.silent) { try await get(server.url("/silent"), idle: .milliseconds(300)) }
    await #expect(throws: HTTPClientError.connectionFailed("there is no server named nobody.invalid")) {
      try await get(URL(string: "http://nobody.invalid/")!)
    }
    await #expect(throws: HTTPClientError.connectionFailed("Connection refused")) {
      try await get(URL(string: "http://127.0.0.1:1/")!)
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

  @Test func `a canceled transfer ends while its server is silent`() async throws {
    let server = try ScriptedServer(["/silent": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"])
    let pieces = AsyncStream<Data>.makeStream()
    let transfer = Task {
      try await OutboundHTTP.withClient(idle: .seconds(600)) { client in
        let request = OutboundRequest("GET", server.url("/silent"))
        try await client.send(request, limit: 10, total: .seconds(600)) { _ in
        } body: {
          pieces.continuation.yield($0)
        }
      }
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
