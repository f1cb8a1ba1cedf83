// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct SearchTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private var pool: PostgresPool { TestDatabase.current.pool }
  private var store: SearchStore { SearchStore(pool: pool) }

  /// Compared with a check of every number, on numbers of all lengths.
  @Test(arguments: [UInt64(3), 4]) func beginningsAreWhatBeginsSo(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var numbers = Set<Int64>()
    while numbers.count < 400 {
      let digits = Int.random(in: 4...15, using: &generator)
      let text = "3316" + (4..<max(5, digits)).map { _ in "\(Int.random(in: 0...3, using: &generator))" }.joined()
      if let number = Int64(text) { numbers.insert(number) }
    }
    let reports = numbers.sorted().map { number in
      Report(number: number, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud, reporter: nil)
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    for prefix in [3, 33, 3316, 33_160, 33_161_2, 33_162_0, 34] as [Int64] {
      let expected = numbers.filter { "\($0)".hasPrefix("\(prefix)") }.sorted()
      var found: [Int64] = []
      while true {
        let page = try await store.numbers(beginningWith: prefix, after: found.last ?? 0, limit: 17).map(\.number)
        found += page
        if page.count < 17 { break }
      }
      #expect(found == expected, "\(prefix)")
    }
  }

  @Test func endingsAndLabelsAreFoundAmongWhatIsListedOrDecided() async throws {
    let time = now
    try await pool.withConnection { connection in
      _ = try await connection.execute(
        """
        INSERT INTO listings (number, category_id, serial, listed_at)
        SELECT number, 1, 1, \(time) FROM unnest(\([33_162_601_021, 49_301_601_021, 49_301_601_022] as [Int64])) AS t (number)
        """)
    }
    for (number, label) in [(34_912_601_021, "100% Legal_Debt"), (34_912_601_099, "1000 Debts")] as [(Int64, String)] {
      _ = try await DecisionStore(pool: pool).record(
        try Decision(
          number: number, treatment: .identify, label: label, reason: "Asked.", decidedBy: "Ada", decidedAt: now))
    }
    let ending = try await store.numbers(endingWith: "601021", after: 0, limit: 10)
    #expect(ending.map(\.number) == [33_162_601_021, 34_912_601_021, 49_301_601_021])
    #expect(ending[0].listedAs == .fraud && ending[0].isBlocked && ending[1].decision == .identify)
    #expect(try await store.numbers(endingWith: "2601021", after: 0, limit: 10).map(\.number).count == 2)
    #expect(
      try await store.numbers(endingWith: "601021", after: 33_162_601_021, limit: 1).map(\.number) == [34_912_601_021])
    #expect(try await store.numbers(endingWith: "01021", after: 0, limit: 10).isEmpty)
    #expect(try await store.numbers(labelled: "100% legal_", after: 0, limit: 10).map(\.number) == [34_912_601_021])
    #expect(try await store.numbers(labelled: "100", after: 0, limit: 10).count == 2)
    #expect(try await store.numbers(labelled: "%%", after: 0, limit: 10).isEmpty)
  }
}
