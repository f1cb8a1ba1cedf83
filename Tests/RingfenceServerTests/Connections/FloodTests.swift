// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Synchronization
import TestSupport
import Testing
@testable import HTTPServer
@testable import RingfenceCommand

/// One network floods the server while another sends normal requests. Each address of 127.0.0.0/8 belongs to this
/// machine, so the networks are real.
@Suite(.database) struct FloodTests {
  private static func request(_ key: String, _ body: String) -> String {
    """
    POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\
    Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
    """
  }

  @Test func `a flood from one network does not block other networks`() async throws {
    try await TestServer.run(
      configure: {
        $0.maxConnections = 64
        $0.access.limits = RequestLimits(network: .init(perSecond: 50, burst: 200), connectionsPerNetwork: 24)
      }, isPlain: true
    ) { server in
      let flood = Flood()
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { flood.stop() }
        // More connections than the server allows; those beyond the network's limit are closed and try again.
        for _ in 0..<80 {
          group.addTask {
            try await raw {
              while !flood.isOver {
                let connection = try RawConnection(port: server.port, from: "127.0.9.1")
                while !flood.isOver {
                  guard connection.send(Self.request(server.key, try Reports.json(["reporter": "flood"]))),
                    let answer = try? connection.read(until: "}"), !answer.isEmpty
                  else { break }
                  if answer.hasPrefix("HTTP/1.1 429 ") { flood.countRefusal() }
                }
                usleep(10_000)
              }
            }
          }
        }
        // Waits until the flood is at its limit, then sends normal requests.
        let began = ContinuousClock.now
        while flood.refused < 50, ContinuousClock.now - began < .seconds(300) { await Task.yield() }
        for _ in 0..<50 {
          let answer = try await raw {
            let connection = try RawConnection(port: server.port)
            connection.send(Self.request(server.key, try Reports.json(["reporter": UUID().uuidString])))
            return try connection.read(until: "}")
          }
          #expect(answer.hasPrefix("HTTP/1.1 201 "))
        }
        flood.stop()
        try await group.waitForAll()
        #expect(flood.refused >= 50)
      }
    }
  }

  /// As many sockets as fit, and as many again, which wait in the kernel's queue.
  @Test(arguments: [5, 20, 100])
  func `idle connections of many networks do not block another`(networks: Int) async throws {
    try await TestServer.run(
      configure: {
        $0.maxConnections = 100
        $0.connections = ConnectionLimits(firstByte: .seconds(600), idle: .seconds(600))
      }, isPlain: true
    ) { server in
      try await raw {
        let idle = try (0..<200).map { try RawConnection(port: server.port, from: "127.1.\($0 % networks).1") }
        let connection = try RawConnection(port: server.port)
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        // No more are closed than others needed.
        #expect(idle.count(where: { $0.hasSomethingToRead }) <= 103)
      }
    }
  }

  @Test func `a request that arrives or waits for its answer keeps its connection`() async throws {
    try await TestServer.run(
      configure: {
        $0.maxConnections = 8
        $0.connections = ConnectionLimits(
          body: .seconds(600), firstByte: .seconds(600), idle: .seconds(600))
      }, isPlain: true, commits: false
    ) { server in
      let body = try Reports.json()
      let head = Self.request(server.key, body).dropLast(body.count + 1) + "Expect: 100-continue\r\n\r\n"
      let busy = try await raw {
        let busy = try (0..<2).map { _ in
          let connection = try RawConnection(port: server.port)
          connection.send(String(head))
          #expect(try connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
          return connection
        }
        busy[0].send(body)
        let idle = try (0..<40).map { try RawConnection(port: server.port, from: "127.1.\($0).1") }
        let connection = try RawConnection(port: server.port)
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        #expect(idle.contains { $0.hasSomethingToRead })
        busy[1].send(body)
        return busy
      }
      server.commitNow()
      for connection in busy {
        let answer = try await raw { try connection.read(until: "}") }
        #expect(answer.hasPrefix("HTTP/1.1 20"))
      }
    }
  }

  @Test func `long bodies of one network do not use the memory of others`() async throws {
    // Eight endless bodies of 100,000 bytes each; the network's share is 262,144 bytes.
    try await TestServer.run(configure: { $0.access.limits = RequestLimits(bodyBytes: 1 << 20) }) { server in
      let part = "[" + String(repeating: " ", count: 100_000)
      let held = try await raw {
        try (0..<8).map { _ in
          let connection = try RawConnection(port: server.port, from: "127.0.9.1")
          connection.send(String(Self.request(server.key, part + part).dropLast(part.count)))
          return connection
        }
      }
      // At least six are refused for lack of memory; the others wait for more data.
      let busy = try await raw { try RawConnection.answers(6, of: held) }
      #expect(busy.count >= 6)
      #expect(busy.allSatisfy { $0.hasPrefix("HTTP/1.1 503 ") && $0.contains("Retry-After: 2\r\n") })
      let batch = "[\(try Reports.json())\(String(repeating: " ", count: 200_000))]"
      #expect(try await server.report(batch).status == .ok)
    }
  }
}

/// The shared state of the flooding connections and the test.
private final class Flood: Sendable {
  private let over = Atomic(false)
  private let refusals = Atomic(0)

  var isOver: Bool { over.load(ordering: .relaxed) }
  var refused: Int { refusals.load(ordering: .relaxed) }
  func stop() { over.store(true, ordering: .relaxed) }
  func countRefusal() { refusals.wrappingAdd(1, ordering: .relaxed) }
}
