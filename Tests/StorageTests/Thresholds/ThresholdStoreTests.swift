// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct ThresholdStoreTests {
  private var store: ThresholdStore { ThresholdStore(pool: pool) }

  @Test func `a version reads back the same and never changes`() async throws {
    let (first, shipped) = try await store.version(nil)
    #expect(first.version == 1)
    var generator = SeededGenerator(seed: 41)
    let set = try ThresholdSet.random(countries: ["DE", "FR", "US"], using: &generator)
    let saved = try await store.save(set, after: 1, by: .commandLine("Ada"), because: "Too many surveys.", at: now)
    let (second, read) = try await store.version(nil)
    #expect(second == saved && second.version == 2 && second.savedBy == "Ada" && second.savedAt == now)
    #expect(read == set)
    #expect(try await store.version(1).set == shipped)
    #expect(try await store.history(limit: 10).map(\.version) == [2, 1])
    await #expect(throws: StorageError.noThresholds(version: 3)) { try await store.version(3) }
  }

  @Test func `the second change of the same version is refused`() async throws {
    let set = try await store.current().replacing(IdentifyRule(labels: 9))
    try await failFirstCommit()
    try await store.save(set, after: 1, by: .commandLine("Ada"), because: "First", at: now)
    await #expect(throws: StorageError.thresholdsChanged(version: 2)) {
      try await store.save(set, after: 1, by: .commandLine("Bob"), because: "Second", at: now)
    }
    #expect(try await store.history(limit: 10).count == 2)
  }

  @Test(arguments: ["", "First line\nsecond line", String(repeating: "a", count: TextLimit.reason + 1)])
  func `a reason that is not one line of 1 to 500 characters is refused`(_ reason: String) async throws {
    let set = try await store.current().replacing(IdentifyRule(labels: 9))
    await #expect(throws: RuleViolation.self) {
      try await store.save(set, after: 1, by: .commandLine("Ada"), because: reason, at: now)
    }
    #expect(try await store.history(limit: 10).count == 1)
  }

  @Test func `votes have the weight of their reporter and rows that of their list`() async throws {
    let reports = ReportStore(pool: pool)
    let trusted = [UInt8](repeating: 1, count: 16)
    let caught = [UInt8](repeating: 2, count: 16)
    try await pool.execute(
      """
      INSERT INTO reporter_weights (reporter, weight, changed_at)
      SELECT reporter, weight, \(now) FROM unnest(\([trusted, caught]), \([1, 0] as [Float])) AS t (reporter, weight)
      """)
    let light = SourceRule(
      appID: 9, weight: 0.25, enter: .init(complaints: 3, days: 2), leave: .init(complaints: 2, days: 1))
    try await store.save(
      try await store.current().replacing(light), after: 1, by: .commandLine("Ada"), because: "Noisy list", at: now)
    func heat(_ reporter: [UInt8]?, app: Int32, number: Int64) async throws -> Double {
      let report = Report(
        number: number, appID: app, reportID: UUID(), reportedAt: now, category: .fraud, reporter: reporter,
        network: [3, 0, 0, 0, 0, 0, 0, 0])
      _ = try await reports.accept([report], receivedAt: now)
      return Score(try #require(try await NumberStore(pool: pool).record(of: number)), at: now).heat
    }
    #expect(abs(try await heat([UInt8](repeating: 3, count: 16), app: 1, number: 11) - 0.5) < 1e-9)
    #expect(abs(try await heat(trusted, app: 1, number: 12) - 1) < 1e-9)
    #expect(try await heat(caught, app: 1, number: 13) == 0)
    #expect(abs(try await heat(nil, app: 9, number: 14) - 0.25) < 1e-9)
    #expect(abs(try await heat(nil, app: 8, number: 15) - 1) < 1e-9)

    // A reporter with weight 0 does not count, and adds no day and no network.
    let nothing = try #require(try await NumberStore(pool: pool).record(of: 13))
    let score = Score(nothing, at: now)
    #expect(score.reporters == 0 && score.days == 0 && score.networks == 0)
    #expect(nothing.standing.reports == 1)
    let list = try #require(try await NumberStore(pool: pool).record(of: 14))
    #expect(list.sources.map(\.complaints) == [1] && Score(list, at: now).reporters == 0)
    #expect(try await recountAll().differences == [])
  }
}
