// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TestData
import TestSupport
import Testing

@testable import Accounts

@Suite struct PasswordTests {
  private func problem(_ password: String) throws -> PasswordRules.Problem? {
    let common = try CommonPasswords(contentsOf: URL(filePath: "\(Checkout.resources)/common-passwords.txt"))
    return PasswordRules.problem(with: password, name: "Ada Lovelace", common: common)
  }

  @Test(
    arguments: [
      ("long enough 7", nil), ("short", .short), (String(repeating: "ab", count: 101), .long),
      ("aaaaaaaaaaaa", .plain), ("ada lovelace!", .name),
    ] as [(String, PasswordRules.Problem?)]) func `password rules return the expected problem`(
      password: String, expected: PasswordRules.Problem?
    ) throws
  {
    #expect(try problem(password) == expected)
  }

  @Test(arguments: [
    "12345678901234", "0987654321", "1234567890", "9876543210123", "qwertyuiop", "Qwerty123456", "poiuytrewq",
    "1qaz2wsx3edc", "1q2w3e4r5t6y", "password123", "P@ssw0rd2024!", "passwordpassword", "pass-word-1234",
    "iloveyou2024", "Iloveyou!!!", "letmein12345", "welcome12345", "admin123456!", "ringfence123", "Ringfence2026!",
    "moderator1!", "sunshine2025", "monkeydragon", "abcdefghij", "abcdefabcdef", "qwertyqwerty", "asdfghjkl123",
    "zaq12wsxcde3", "lovelace2026", "Ada123456789", "йцукенгшщз", "пароль123456", "Пароль2026!",
    "gfhjkm123456", "привет12345",
  ]) func `a common password is refused`(password: String) throws {
    #expect([.common, .plain].contains(try problem(password)), "\(password)")
  }

  @Test(arguments: [
    "seven small elephants", "correct horse battery staple", "a long password", "k3xq7-mn2pa", "tK9#vq2LmZ",
    "xkcdtreefortkey", "мой кот ест рыбу по средам", "monkey dragon kettle lamp", "Wm4-9fhq-zz81",
    String(repeating: "password ", count: 15) + "Zug 7 um elf",
  ]) func `another password is accepted`(password: String) throws {
    #expect(try problem(password) == nil, "\(password)")
  }

  /// A long password costs as little to check as another.
  @Test func `the longest password is checked`() throws {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    #expect(try problem(String((0..<PasswordRules.length.upperBound).map { letters[$0 * $0 * $0 % 26] })) == nil)
    #expect(try problem(String(String(repeating: "qwerty1234", count: 20).prefix(199))) == .common)
  }

  @Test(.timeLimit(.minutes(2))) func `passwords of known browsers are hashed before those of strangers`() async throws
  {
    let hasher = PasswordHasher(slots: 1, queueLimit: 2)
    let order = Collected<String>()
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      func add(_ name: String, isKnown: Bool, asNumber count: Int) async throws {
        group.addTask {
          try await hasher.work(isKnown: isKnown) {
            if name == "running" { gate.wait() }
            order.add([name])
          }
        }
        // The next one is added when this one is in its queue.
        while await hasher.derivations + hasher.waiting < count { await Task.yield() }
      }
      try await add("running", isKnown: false, asNumber: 1)
      try await add("stranger 1", isKnown: false, asNumber: 2)
      try await add("stranger 2", isKnown: false, asNumber: 3)
      // The queue of strangers is full, and the other one is not.
      await #expect(throws: PasswordHasher.Busy.self) { try await hasher.work(isKnown: false) {} }
      try await add("known 1", isKnown: true, asNumber: 4)
      try await add("known 2", isKnown: true, asNumber: 5)
      await #expect(throws: PasswordHasher.Busy.self) { try await hasher.work(isKnown: true) {} }
      gate.signal()
      try await group.waitForAll()
    }
    #expect(order.all == ["running", "known 1", "known 2", "stranger 1", "stranger 2"])
    try await hasher.work(isKnown: false) {}
  }
}
