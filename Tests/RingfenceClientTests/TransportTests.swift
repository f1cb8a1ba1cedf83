// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RingfenceClient

/// Attacks of a hostile server on the transport of the kit.
@Suite struct TransportTests {
  private static let flood = [UInt8](repeating: 0x78, count: 1 << 16)

  private func answer(_ server: HostileSocket, whole: Double = 60) async throws -> Int {
    let transport = URLSessionTransport(idle: 20, whole: whole)
    return try await transport.send(ClientRequest("GET", server.url), limit: 1_000).head.status
  }

  @Test func `the transport reads no faster than the body is consumed`() async throws {
    struct Enough: Error {}
    let server = try HostileSocket("HTTP/1.1 200 OK\r\n\r\n", repeating: Self.flood)
    await #expect(throws: Enough.self) {
      try await URLSessionTransport().send(ClientRequest("GET", server.url)) { _ in
      } body: { _ in
        _ = server.wait()
        throw Enough()
      }
    }
    // A few socket buffers, and far less than the server would have sent.
    #expect(server.wait() < 64 << 20)
  }

  @Test func `refuses a body whose head declares too long a length`() async throws {
    let server = try HostileSocket("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n")
    await #expect(throws: ClientError.network("The answer is too long.")) { try await answer(server) }
    // The server waits for the client to close the connection.
    #expect(server.wait() < 1_000)
  }

  @Test func `refuses a body that grows too long`() async throws {
    let server = try HostileSocket("HTTP/1.1 200 OK\r\n\r\n", repeating: Self.flood)
    await #expect(throws: ClientError.network("The answer is too long.")) { try await answer(server) }
  }

  @Test func `refuses a compressed body`() async throws {
    let server = try HostileSocket("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n")
    await #expect(throws: ClientError.network("The answer is compressed, which was not asked for.")) {
      try await answer(server)
    }
  }

  @Test(arguments: ["HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nX-Field: "])
  func `refuses a head without an end`(_ begin: String) async throws {
    let server = try HostileSocket(begin, repeating: Self.flood)
    await #expect(throws: ClientError.self) { try await answer(server) }
    #expect(server.wait() < 64 << 20)
  }

  @Test func `returns an error status from the head alone`() async throws {
    let server = try HostileSocket(
      "HTTP/1.1 503 Service Unavailable\r\nContent-Encoding: gzip\r\n\r\n", repeating: Self.flood)
    #expect(try await answer(server) == 503)
  }

  @Test func `follows no redirect`() async throws {
    let server = try HostileSocket("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")
    #expect(try await answer(server) == 302)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 20\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\n\r\n",
  ])
  func `limits the time of a response that does not end`(_ head: String) async throws {
    let server = try HostileSocket(head)
    await #expect(throws: ClientError.network("The answer took too long.")) { try await answer(server, whole: 0.2) }
  }
}
