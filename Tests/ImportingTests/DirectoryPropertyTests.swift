// SPDX-License-Identifier: Apache-2.0

import Storage
import TestSupport
import Testing

@testable import Importing

/// Random files in runs of a few rows, compared with a dictionary.
@Suite struct DirectoryPropertyTests {
  @Test(arguments: 0..<20) func `the stored entries equal those of a plain dictionary`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let names = ["Ada", "Борис", "陈", "Zoé, Inc.", "\"Q\""]
    var counts: [Int64: [(name: String, rows: Int)]] = [:]
    var text = "name,phone\n"
    for _ in 0..<Int.random(in: 0...2_000, using: &random) {
      let number = 12_125_550_000 + Int64.random(in: 0..<300, using: &random)
      let name = names.randomElement(using: &random) ?? ""
      text += "\"\(name.replacing("\"", with: "\"\""))\",+\(number)\n"
      let place = counts[number]?.firstIndex { $0.name == name }
      if let place { counts[number]?[place].rows += 1 } else { counts[number, default: []].append((name, 1)) }
    }
    let trial = try await DirectoryTrial(
      text, runBytes: Int.random(in: 1...3_000, using: &random), workers: Int.random(in: 1...3, using: &random))
    let expected = counts.sorted { $0.key < $1.key }.map { number, names in
      // The first of those with the most rows.
      let best = names.reversed().max { $0.rows < $1.rows } ?? ("", 0)
      let most = names.first { $0.rows == best.rows } ?? best
      return StoredDirectoryEntry(number: number, mentions: Int32(most.rows), name: most.name)
    }
    #expect(trial.entries == expected)
    #expect(trial.summary.conflicts == counts.values.count { $0.count > 1 })
  }
}
