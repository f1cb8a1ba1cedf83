// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Accounts

@Suite struct SmallOrderTests {
  private static let points: [[UInt8]] = {
    func point(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> [UInt8] {
      [first] + [UInt8](repeating: middle, count: 30) + [last]
    }
    let eighth = Array("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05".utf8)
    let digits = stride(from: 0, to: 64, by: 2).map {
      UInt8(String(decoding: eighth[$0..<$0 + 2], as: UTF8.self), radix: 16)!
    }
    let all = [point(0, 0, 0), point(1, 0, 0), point(0xEC, 0xFF, 0x7F), point(0xEE, 0xFF, 0x7F), digits]
    return all + all.map { $0.dropLast() + [$0[31] | 0x80] }
  }()

  /// Everybody can make a signature of such a key.
  @Test(arguments: points) func `a key of Ed25519 with a small order is no passkey`(point: [UInt8]) {
    let cose: [UInt8] = [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20] + point
    #expect(throws: PasskeyRefusal.algorithm) { try PasskeyKey(cose) }
  }
}
