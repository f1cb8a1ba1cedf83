import Curation
import Foundation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct CandidateTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)

  private var pool: PostgresPool { TestDatabase.current.pool }

  /// Numbers with a few random reports each.
  private func fill(seed: UInt64, count: Int) async throws -> ReportModel {
    var generator = SeededGenerator(seed: seed)
    var model = ReportModel()
    let reports = (0..<count).map { index in
      Report(
        number: 33_100_000_000 + Int64.random(in: 0..<Int64(count / 6), using: &generator), appID: 1,
        reportID: UUID(), reportedAt: now - Double(Int.random(in: 0..<30, using: &generator)) * 86_400,
        category: ReportCategory.allCases.randomElement(using: &generator)!,
        reporter: (0..<16).map { UInt8(truncatingIfNeeded: index >> ($0 % 4 * 8)) })
    }
    for report in reports { _ = model.take(report) }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    return model
  }

  private func candidates(limit: Int) async throws -> [Candidate] {
    let rows = Mutex<[Candidate]>([])
    try await PublicationStore(pool: pool).forEachCandidate(at: now, limit: limit) { batch in
      rows.withLock { $0 += batch }
    }
    return rows.withLock { $0 }
  }

  @Test(arguments: [3, 11] as [UInt64])
  func theDatabaseListsWhatTheRulesList(seed: UInt64) async throws {
    let model = try await fill(seed: seed, count: 3_000)
    let thresholds = try await NumberStore(pool: pool).thresholds()
    let listed = model.numbers.filter { number in
      let standing = model.standing(of: number)
      guard let threshold = thresholds.first(where: { $0.category == standing.leading }) else { return false }
      return threshold.lists(standing, at: now)
    }
    #expect(listed.count > 20)
    let all = try await candidates(limit: 1_000_000)
    #expect(all.map(\.number) == listed.sorted())
    #expect(all.allSatisfy { model.standing(of: $0.number).leading == $0.category })

    let hottest = listed.sorted { (model.standing(of: $1).heat, $0) < (model.standing(of: $0).heat, $1) }.prefix(20)
    #expect(try await candidates(limit: 20).map(\.number) == hottest.sorted())
  }

  @Test func moderatorsSeeTheHottestFirstAndWhetherTheyAreListed() async throws {
    let model = try await fill(seed: 5, count: 1_200)
    let thresholds = try await NumberStore(pool: pool).thresholds()
    let rows = try await NumberStore(pool: pool).watched(at: now, limit: 1_000)
    #expect(rows.map(\.heat) == rows.map(\.heat).sorted(by: >))
    #expect(rows.contains { $0.isListed } && rows.contains { !$0.isListed })
    for row in rows {
      let standing = model.standing(of: row.number)
      let threshold = thresholds.first { $0.category == standing.leading }
      #expect(threshold?.lists(standing, at: now) == row.isListed)
      #expect(abs(row.confidence - standing.confidence(at: now)) < 1e-9)
    }
  }
}
