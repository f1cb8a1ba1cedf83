// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import PhoneNumbers

/// `ringfence-benchmark protection`
struct ProtectionBenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protection", abstract: "Measure the lookup of protected numbers.")

  @Option(help: "Protected numbers.")
  var numbers = 2_000_000

  @Option(help: "Protected patterns.")
  var patterns = 2_000

  @Option(help: "Numbers that are looked up.")
  var lookups = 2_000_000

  func run() throws {
    var random = SplitMix64(seed: 1, purpose: 1)
    var builder = ProtectedNumbersBuilder(shortNumber: { ShortNumber(digits: $0) == nil ? nil : .shortNumber })
    for _ in 0..<numbers { builder.add(number(&random), reason: "A bank") }
    for index in 0..<patterns {
      builder.add(try ProtectedPattern("+49\(30_000_000 + index * 7)xx"), reason: "A hospital")
    }
    let start = ContinuousClock.now
    let protected = builder.finish()
    print("built in \(ContinuousClock.now - start)")
    let questions = (0..<lookups).map { _ in number(&random) }
    try measure("in random order", questions, protected)
    try measure("ascending, as in a publication", questions.sorted(), protected)
  }

  private func measure(_ title: String, _ questions: [Int64], _ protected: ProtectedNumbers) throws {
    let start = ContinuousClock.now
    var hits = 0
    for number in questions where protected.rule(for: number) != nil { hits += 1 }
    let time = (ContinuousClock.now - start) / .nanoseconds(1) / Double(max(1, questions.count))
    print("\(title): \(Int(time)) ns a number, \(hits) protected of \(questions.count)")
  }

  private func number(_ random: inout SplitMix64) -> Int64 {
    let areas: [Int64] = [12_012_000_000, 33_199_000_000, 491_511_000_000, 4_930_000_000]
    return areas[random.below(areas.count)] + Int64(random.below(9_000_000))
  }
}
