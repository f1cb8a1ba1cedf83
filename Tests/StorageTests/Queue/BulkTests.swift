import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct BulkTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let numbers = (0..<120).map { 33_162_000_000 + Int64($0) * 3 }
  private let ada = QueueWorker(account: "Ada", role: .moderator)

  private var pool: PostgresPool { TestDatabase.current.pool }
  private var bulks: BulkStore { BulkStore(pool: pool) }
  private var rulings: RulingStore { RulingStore(pool: pool) }

  @Test func everyNumberGetsARulingOfItsOwnAndAllAreTakenBackTogether() async throws {
    let earlier = try Ruling(number: numbers[7], decision: .allow, moderator: "Bob", ruledAt: now - 100)
    _ = try await rulings.record(earlier)
    try await ProtectionStore(pool: pool).add(
      [(try ProtectionTarget("+\(numbers[9])"), "City hospital")], by: "Ada", at: now)
    let items = try await bulks.items(numbers.shuffled())
    #expect(items.map(\.number) == numbers)
    // Somebody rules while the preview is looked at.
    let meanwhile = try Ruling(number: numbers[11], decision: .allow, moderator: "Bob", ruledAt: now - 1)
    _ = try await rulings.record(meanwhile)

    let bulk = Bulk(decision: .block, reason: "One campaign.", worker: ada, ruledAt: now)
    for _ in 0..<2 { #expect(try await bulks.apply(bulk, to: items) == [numbers[9], numbers[11]]) }
    let run = try #require(try await bulks.find(bulk.id))
    #expect(run.rulings == 118 && run.undoneBy == nil && run.decision == .block)
    for number in numbers where ![numbers[9], numbers[11]].contains(number) {
      #expect(try await rulings.standing(of: number)?.decision == .block)
      #expect(try await rulings.history(of: number).last?.reason == "One campaign.")
    }
    #expect(try await events("ruling.block") == 118)

    for _ in 0..<2 { #expect(try await bulks.undo(bulk.id, by: ada, at: now + 10) == 118) }
    #expect(try await bulks.find(bulk.id)?.undoneBy == "Ada")
    #expect(try await rulings.standing(of: numbers[7])?.decision == .allow)
    #expect(try await rulings.standing(of: numbers[8]) == nil)
    #expect(try await events("ruling.undo") == 118)
  }

  @Test func nothingIsDoneWithoutAReason() async throws {
    let items = try await bulks.items(numbers)
    let bulk = Bulk(decision: .block, worker: ada, ruledAt: now)
    await #expect(throws: RulingProblem.self) { try await bulks.apply(bulk, to: items) }
    #expect(try await bulks.find(bulk.id) == nil)
    #expect(try await rulings.standing(of: numbers[0]) == nil)
  }

  private func events(_ action: String) async throws -> Int64 {
    try await pool.withConnection { connection in
      try await connection.query("SELECT count(*) FROM audit_events WHERE action = \(action)").first?.decode(0) ?? 0
    }
  }
}
