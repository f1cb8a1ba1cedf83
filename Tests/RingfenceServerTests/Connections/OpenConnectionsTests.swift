// SPDX-License-Identifier: Apache-2.0

import Foundation
import Metrics
import Synchronization
import Testing
@testable import HTTPServer

/// A server with all connections in use closes idle ones for others.
@Suite struct OpenConnectionsTests {
  /// Numbers of the closed connections, in their order.
  private final class Closed: Sendable {
    let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
  }

  private let closed = Closed()
  private let connections = OpenConnections(
    max: 0, maxPerNetwork: 3, shed: Counter(label: "shed", factory: NOOPMetricsHandler.instance))
  private var admission: OpenConnections.Admission { .init(connections) }

  private func add(_ number: Int, _ network: String) -> OpenConnections.Place? {
    connections.add(ClientNetwork(ClientAddress.of(socket: nil, forwarded: network, trustsProxy: true))) {
      [closed] in closed.numbers.withLock { $0.append(number) }
    }
  }

  @Test func `the network with the most connections loses its longest idle one`() throws {
    let places = try [(1, "192.0.2.1"), (2, "198.51.100.1"), (3, "198.51.100.2"), (4, "203.0.113.1")]
      .map { try #require(add($0.0, $0.1)) }
    for _ in 1...4 { #expect(!admission.isAcceptingNewConnections()) }
    // The second network has two; when it has one, all have one.
    #expect(closed.all == [2, 1, 3, 4])
    // It is too late for a request.
    #expect(places.allSatisfy { !$0.use() })
  }

  @Test func `a request keeps its connection and the next idle one is closed`() throws {
    let (first, second) = (try #require(add(1, "192.0.2.1")), try #require(add(2, "192.0.2.2")))
    #expect(first.use() && second.use())
    #expect(!admission.isAcceptingNewConnections())
    #expect(closed.all == [])
    connections.rest(second)
    connections.rest(first)
    // One is wanted and one is closed.
    #expect(closed.all == [2])
    #expect(first.use())
  }

  @Test func `of connections that were accepted before room was wanted the earlier one is closed`() throws {
    #expect(!admission.isAcceptingNewConnections())
    let first = try #require(add(1, "192.0.2.1"))
    #expect(closed.all == [])
    _ = try #require(add(2, "192.0.2.2"))
    #expect(closed.all == [1] && !first.use())
  }

  @Test func `a closed connection leaves the count of its network once`() throws {
    let places = try (1...3).map { try #require(add($0, "192.0.2.1")) }
    #expect(add(4, "192.0.2.9") == nil)
    #expect(!admission.isAcceptingNewConnections())
    connections.remove(places[0])
    #expect(add(5, "192.0.2.9") != nil)
    #expect(add(6, "192.0.2.9") == nil)
  }
}
