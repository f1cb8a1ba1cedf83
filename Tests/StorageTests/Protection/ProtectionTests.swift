// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import TestSupport
import Testing

@Suite(.database) struct ProtectionTests {
  private var store: ProtectionStore { ProtectionStore(pool: TestDatabase.current.pool) }

  @Test func `a protected number is known until it is removed`() async throws {
    let before = try await store.version()
    try await store.add(
      [(.number(33_199_000_248), "A bank"), (try ProtectionTarget("+49116xxx"), "Charities")], by: "Ada", at: now)
    #expect(try await store.version() > before)
    let all = try await store.load()
    #expect(all.rule(for: 33_199_000_248) == .protectedNumber(reason: "A bank"))
    #expect(all.rule(for: 49_116_117) == .protectedPattern(reason: "Charities", pattern: "+49116xxx"))
    #expect(all.rule(for: 33_199_000_249) == nil)
    #expect(all.rule(for: 1_911) == .emergencyNumber)
    #expect(try await store.rule(for: 49_116_000) == .protectedPattern(reason: "Charities", pattern: "+49116xxx"))
    #expect(try await store.rule(for: 49_112) == .emergencyNumber)

    #expect(try await store.remove(try ProtectionTarget("+33 199 000 248"), by: .commandLine("Ada"), at: now))
    #expect(try await !store.remove(.number(33_199_000_248), by: .commandLine("Ada"), at: now))
    #expect(try await store.rule(for: 33_199_000_248) == nil)
    #expect(try await !store.remove(.number(1_911), by: .commandLine("Ada"), at: now))
  }

  @Test(arguments: ["", "A bank\u{202E}", String(repeating: "a", count: TextLimit.protectionReason + 1)])
  func `a reason that is not one line of 1 to 200 characters is refused`(_ reason: String) async throws {
    await #expect(throws: RuleViolation.self) {
      try await store.set(.number(33_199_000_248), reason: reason, by: .commandLine("Ada"), at: now)
    }
    #expect(try await store.rule(for: 33_199_000_248) == nil)
  }

  @Test(arguments: [Int64(7), 110, 112, 911, 49, 116_117])
  func `bare short numbers are protected`(_ number: Int64) async throws {
    #expect(try await store.rule(for: number) == .shortNumber)
    #expect(try await store.load().rule(for: number) == .shortNumber)
  }

  @Test func `a query of one number agrees with all loaded rules`() async throws {
    var generator = SeededGenerator(seed: 3)
    let targets = try (0..<60).map { index in
      let head = "+4930\(Int.random(in: 0..<40, using: &generator))"
      let tail = ["", "x", "xx", "*", "x1", "x*", "x1x*"].randomElement(using: &generator) ?? ""
      return (target: try ProtectionTarget(head + tail), reason: "Pattern \(index)")
    }
    try await store.add(targets + [(.number(4_930_123), "A bank")], by: "Ada", at: now)
    let all = try await store.load()
    var numbers: [Int64] = [4_930_123, 493_012, 49_112, 1_911]
    for _ in 0..<250 {
      let sizes: [Int64] = [10, 100, 1_000, 10_000]
      let size: Int64 = sizes.randomElement(using: &generator) ?? 10
      let end: Int64 = Int64.random(in: 0..<size, using: &generator)
      numbers.append(size * 4_930 + end)
    }
    for number in numbers { #expect(try await store.rule(for: number) == all.rule(for: number), "\(number)") }
    #expect(numbers.count { all.rule(for: $0) != nil } > 20)
  }

  @Test func `a list with too many patterns changes nothing`() async throws {
    let patterns = try (0...ProtectionStore.maxPatterns).map { index in
      (target: try ProtectionTarget("+49\(100_000 + index)*"), reason: "Many")
    }
    let limit = ProtectionStore.maxPatterns
    await #expect(throws: ProtectionError.tooManyPatterns(limit: limit)) {
      try await store.add(patterns, by: "Ada", at: now)
    }
    #expect(try await store.load().rule(for: 49_100_000) == nil)
    try await store.add(Array(patterns.dropLast()), by: "Ada", at: now)
    #expect(try await store.load().rule(for: 491_000_001) == .protectedPattern(reason: "Many", pattern: "+49100000*"))
  }
}
