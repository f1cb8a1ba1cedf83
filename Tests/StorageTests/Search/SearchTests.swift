// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct SearchTests {
  private var store: SearchStore { SearchStore(pool: pool) }

  /// Compared with a check of every number, on numbers of all lengths.
  @Test(arguments: [UInt64(3), 4]) func `a prefix search finds exactly the numbers that begin with it`(_ seed: UInt64)
    async throws
  {
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

  @Test func `a search finds endings and labels of listed and decided numbers`() async throws {
    let time = now
    try await pool.execute(
      """
      INSERT INTO listings (number, category_id, serial, listed_at)
      SELECT number, 1, 1, \(time) FROM unnest(\([33_199_001_021, 49_301_001_021, 49_301_001_022] as [Int64])) AS t (number)
      """)
    for (number, label) in [(34_919_001_021, "100% Legal_Debt"), (34_912_601_099, "1000 Debts")] as [(Int64, String)] {
      _ = try await DecisionService(pool: pool).record(
        try Decision(
          number: number, treatment: .identify, label: label, reason: "Asked.", decidedBy: "Ada", decidedAt: now))
    }
    let ending = try await store.numbers(endingWith: "001021", after: 0, limit: 10)
    #expect(ending.map(\.number) == [33_199_001_021, 34_919_001_021, 49_301_001_021])
    #expect(ending[0].listedAs == .fraud && ending[0].isBlocked && ending[1].decision == .identify)
    #expect(try await store.numbers(endingWith: "9001021", after: 0, limit: 10).map(\.number).count == 2)
    #expect(
      try await store.numbers(endingWith: "001021", after: 33_199_001_021, limit: 1).map(\.number) == [34_919_001_021])
    #expect(try await store.numbers(endingWith: "21", after: 0, limit: 10).isEmpty)
    #expect(
      try await store.numbers(labelled: "100% legal_", after: 0, limit: 10).hits.map(\.number) == [34_919_001_021])
    #expect(try await store.numbers(labelled: "100", after: 0, limit: 10).hits.count == 2)
    #expect(try await store.numbers(labelled: "%%", after: 0, limit: 10).hits.isEmpty)
  }

  /// Compared with a check of every number, for endings of each length.
  @Test func `the search finds the numbers with an ending`() async throws {
    var generator = SeededGenerator(seed: 5)
    func some(_ count: Int) -> [Int64] {
      (0..<count).map { _ in 33_199_000_000 + Int64.random(in: 0..<40_000, using: &generator) * 1_001 }
    }
    let (listed, waiting) = (Set(some(300)), Set(some(300)))
    let time = now
    try await pool.execute(
      """
      INSERT INTO listings (number, category_id, serial, listed_at)
      SELECT number, 1, 1, \(time) FROM unnest(\(listed.sorted())) AS t (number)
      """)
    _ = try await pool.run(SQL.enqueueCases(waiting.map { ($0, .held) }, at: now))
    let all = listed.union(waiting)
    var found = 0
    let known = [listed.min(), waiting.max()].compactMap { $0 }
    var endings = ["001"]
    for number in known {
      for length in 3...11 { endings.append(String("\(number)".suffix(length))) }
    }
    for ending in endings {
      let expected = all.filter { "\($0)".hasSuffix(ending) }.sorted()
      var numbers: [Int64] = []
      while true {
        let page = try await store.numbers(endingWith: ending, after: numbers.last ?? 0, limit: 3).map(\.number)
        numbers += page
        if page.count < 3 { break }
      }
      #expect(numbers == expected, "\(ending)")
      found += numbers.count
    }
    #expect(found >= 18)
  }

  /// An index finds the endings, however few digits they have.
  @Test func `a search for an ending uses the indexes`() async throws {
    let plan = try await pool.transaction { connection in
      _ = try await connection.execute("SET LOCAL enable_seqscan = off")
      return try await connection.query(
        "EXPLAIN SELECT number FROM queue WHERE number % 1000000 = ANY('{21,100021}'::bigint[])"
      ).map { try $0.decode(0, as: String.self) }.joined(separator: "\n")
    }
    #expect(plan.contains("queue_by_ending"), "\(plan)")
  }

  @Test func `reported numbers are found by any digits`() async throws {
    let numbers: [Int64] = [33_199_000_400, 33_199_555_012, 49_301_555_012]
    let reports = numbers.map {
      Report(number: $0, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud, reporter: nil)
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    #expect(try await store.numbers(endingWith: "555012", after: 0, limit: 10).map(\.number) == Array(numbers[1...]))
    #expect(try await store.numbers(containing: "5550", after: 0, limit: 1).map(\.number) == [numbers[1]])
    #expect(try await store.numbers(containing: "5550", after: numbers[1], limit: 1).map(\.number) == [numbers[2]])
    #expect(try await store.numbers(containing: "9900", after: 0, limit: 10).map(\.number) == [numbers[0]])
    #expect(try await store.numbers(containing: "990", after: 0, limit: 10).isEmpty)
  }

  @Test func `names of directories are found by the beginnings of their words`() async throws {
    let (waiting, other): (Int64, Int64) = (33_199_000_400, 33_199_000_401)
    for (source, priority, name) in [("yellow", Int32(1), "100% Hôpital Saint-Louis"), ("white", 2, "Clinic")] {
      let entries = [waiting, other].map { StoredDirectoryEntry(number: $0, name: name, category: nil) }
      try await DirectoryStore(pool: pool).replace(source: source, with: entries, priority: priority, at: now)
    }
    _ = try await pool.run(SQL.enqueueCases([(waiting, .held)], at: now))
    // The index of words is made after an import. A second maker finds nothing to do.
    let before = try await store.numbers(labelled: "clinic", after: 0, limit: 10)
    #expect(before.hits.isEmpty && before.unsearched == ["yellow", "white"])
    for _ in 0..<2 { try await DirectoryStore(pool: pool).indexWords() }
    let plan = try await pool.transaction { connection in
      _ = try await connection.execute("SET LOCAL enable_seqscan = off")
      return try await connection.query(
        """
        EXPLAIN SELECT number FROM directory_entries
        WHERE to_tsvector('simple', name) @@ to_tsquery('simple', 'a:*')
          AND generation IN (SELECT generation FROM directory_sources)
        """
      ).map { try $0.decode(0, as: String.self) }.joined(separator: "\n")
    }
    #expect(plan.contains("_words"), "\(plan)")
    for text in ["saint-louis", "100% hôpital", "CLINIC", "hôp", "louis hôpital", "lou '%"] {
      let found = try await store.numbers(labelled: text, after: 0, limit: 10).hits
      #expect(found.map(\.number) == [waiting, other], "\(text)")
      #expect(found.first?.directoryName == "100% Hôpital Saint-Louis")
    }
    for text in ["c%c", "ital", "clinic hotel", "%%"] {
      #expect(try await store.numbers(labelled: text, after: 0, limit: 10).hits.isEmpty, "\(text)")
    }
    #expect(try await store.numbers(labelled: "clinic", after: waiting, limit: 10).hits.map(\.number) == [other])
    #expect(try await store.lines(of: [other]).first?.directoryName == "100% Hôpital Saint-Louis")
  }
}
