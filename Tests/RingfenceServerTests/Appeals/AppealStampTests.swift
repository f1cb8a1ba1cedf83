// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Testing

@testable import ModerationSite

@Suite struct AppealStampTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let stamps = AppealStamps(key: [UInt8](repeating: 3, count: 32), difficulty: 8, delay: 15)

  private func work(_ stamp: String) throws -> String {
    try #require(
      (0..<100_000).map(String.init).first { AppealStamps.zeroBits(SHA256.hash(data: Data("\(stamp)\($0)".utf8))) >= 8 }
    )
  }

  @Test func `a stamp is valid after work or a wait`() throws {
    let stamp = stamps.make(at: now)
    let nonce = try work(stamp)
    guard case .good(let id, let expires, true) = stamps.check(stamp, nonce: nonce, at: now) else {
      Issue.record("Work was not taken.")
      return
    }
    #expect(id.count == 16 && expires == now + AppealStamps.lifetime)
    #expect(stamps.check(stamp, nonce: nil, at: now) == .tooSoon(seconds: 15))
    #expect(stamps.check(stamp, nonce: "", at: now + 10.5) == .tooSoon(seconds: 5))
    #expect(stamps.check(stamp, nonce: "", at: now + 15) == .good(id: id, expiresAt: expires, isWorked: false))
    #expect(stamps.check(stamp, nonce: nonce, at: now + AppealStamps.lifetime) == .expired)
    // A proof of work for another stamp is not valid for this one.
    let wrong = (0..<10_000).map(String.init).first {
      AppealStamps.zeroBits(SHA256.hash(data: Data("\(stamp)\($0)".utf8))) < 8
    }
    #expect(stamps.check(stamp, nonce: wrong, at: now + 100) == .invalid)
  }

  @Test func `a changed stamp is refused`() throws {
    let stamp = stamps.make(at: now)
    let easier = AppealStamps(key: [UInt8](repeating: 3, count: 32), difficulty: 0, delay: 0)
    for index in stamp.indices {
      var changed = stamp
      changed.replaceSubrange(index...index, with: stamp[index] == "0" ? "1" : "0")
      #expect(easier.check(changed, nonce: nil, at: now + 60) == .invalid, "\(changed)")
    }
    let other = AppealStamps(key: [UInt8](repeating: 4, count: 32), difficulty: 0, delay: 0)
    #expect(other.check(stamp, nonce: nil, at: now + 60) == .invalid)
    // A stamp includes its own difficulty, here a lower one.
    #expect(easier.check(stamp, nonce: "0", at: now) == stamps.check(stamp, nonce: "0", at: now))
    for text in ["", "1", "....", "1.2.3.4.5", String(repeating: ".", count: 1_000_000)] {
      #expect(stamps.check(text, nonce: nil, at: now) == .invalid)
    }
  }
}
