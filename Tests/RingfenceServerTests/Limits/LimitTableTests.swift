// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import Testing

@testable import HTTPServer

@Suite struct LimitTableTests {
  @Test func `a flood of keys evicts the lowest counts first`() {
    var table = BoundedTable(capacity: 1_024)
    for key in 0..<64 { table[key] = 1_000_000 }
    for key in 1_000..<101_000 { table[key] = UInt64(key) % 7 + 1 }
    // 64 keys at their limit, in 128 sets of eight: none is evicted.
    #expect((0..<64).allSatisfy { table[$0] == 1_000_000 })
    #expect((1_000..<101_000).count { table[$0] != 0 } <= 1_024)
    table.removeAll()
    #expect(table[0] == 0)
  }

  @Test func `a token bucket refills over time`() {
    var buckets = TokenBuckets(rate: .init(perSecond: 10, burst: 5), capacity: 64)
    let second: UInt64 = 1_000_000_000
    for _ in 0..<5 { #expect(buckets.take(1, from: "a", now: second) == nil) }
    #expect(buckets.take(1, from: "a", now: second) == 1)
    #expect(buckets.take(0, from: "a", now: second) == 1)
    #expect(buckets.take(5, from: "b", now: second) == nil)
    #expect(buckets.take(1, from: "a", now: second + second / 10) == nil)
    #expect(buckets.standing(of: "a", now: second) == .init(tokens: 0, fullIn: 1))
    #expect(buckets.standing(of: "a", now: 9 * second) == .init(tokens: 5, fullIn: 0))
    // More than the capacity: a full bucket accepts it and is in debt.
    #expect(buckets.take(20, from: "a", now: 9 * second) == nil)
    #expect(buckets.standing(of: "a", now: 9 * second) == .init(tokens: 0, fullIn: 2))
    #expect(buckets.take(1, from: "a", now: 10 * second) == 1)
    #expect(buckets.take(1, from: "a", now: 11 * second) == nil)
  }

  @Test func `a network is a prefix of the client address`() throws {
    func network(_ text: String) throws -> ClientNetwork { ClientNetwork(try SocketAddress(ipAddress: text, port: 1)) }
    #expect(try network("192.0.2.1") == network("192.0.2.254"))
    #expect(try network("192.0.2.1") != network("192.0.3.1"))
    #expect(try network("::ffff:192.0.2.1") == network("192.0.2.9"))
    #expect(try network("2001:db8:1::1") == network("2001:db8:1:ffff::2"))
    #expect(try network("2001:db8:1::1") != network("2001:db8:2::1"))
    #expect(try network("0.0.0.1") != ClientNetwork.local)
    #expect(ClientNetwork(nil) == .local)
    // Everybody can send the header.
    let socket = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    #expect(ClientAddress.of(socket: socket, forwarded: "198.51.100.1", trustsProxy: false) == socket)
  }

  @Test func `one network cannot use the memory of all bodies`() throws {
    let budget = BodyBudget(limit: 400)
    let (a, b) = (ClientNetwork(try SocketAddress(ipAddress: "192.0.2.1", port: 1)), ClientNetwork.local)
    #expect(budget.take(100, for: a))
    #expect(!budget.take(1, for: a))
    #expect(budget.take(100, for: b))
    budget.giveBack(100, of: a)
    #expect(budget.take(1, for: a))
    #expect(budget.taken == 101)
  }
}
