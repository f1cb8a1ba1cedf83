import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct DeskStoreTests {
  private let now = Date(timeIntervalSince1970: 1_795_000_000)
  private let one = UUID()
  private let other = UUID()

  private var pool: PostgresPool { TestDatabase.current.pool }
  private var store: DeskStore { DeskStore(pool: pool) }

  private func preview(_ account: String, _ request: String = "{}", after seconds: TimeInterval = 0) -> DeskJob {
    DeskJob(kind: .preview, account: account, request: request, askedAt: now + seconds)
  }

  private func order(after seconds: TimeInterval = 0) -> DeskJob {
    DeskJob(kind: .publication, account: "Ada", request: "{}", askedAt: now + seconds)
  }

  @Test func oneOfAKindIsMadeAtATimeWhateverServersThereAre() async throws {
    let (adas, bobs) = (preview("Ada"), preview("Bob", after: 1))
    #expect(try await store.place(adas))
    #expect(try await store.place(bobs))
    #expect(try await store.job(.preview, of: "Bob", at: now)?.ahead == 1)
    #expect(try await store.claim(.preview, by: one, at: now + 2)?.id == adas.id)
    #expect(try await store.claim(.preview, by: other, at: now + 3) == nil)
    // Asked again after a lost answer, the server is given what it has.
    #expect(try await store.claim(.preview, by: one, at: now + 3)?.id == adas.id)
    #expect(try await store.job(.preview, of: "Bob", at: now + 3)?.ahead == 1)
    // A publication is another kind.
    #expect(try await store.place(order(after: 3)))
    #expect(try await store.claim(.publication, by: other, at: now + 3) != nil)

    #expect(try await store.beat(adas.id, by: one, step: "half", at: now + 4))
    #expect(try await !store.beat(adas.id, by: other, step: "mine", at: now + 4))
    #expect(try await store.job(.preview, of: "Ada", at: now + 4)?.step == "half")
    try await store.end(adas.id, by: one, as: .done, outcome: "{\"a\":1}", at: now + 5)
    let done = try #require(try await store.job(.preview, of: "Ada", at: now + 5))
    #expect(done.state == .done && done.outcome == "{\"a\":1}")
    #expect(try await store.job(.preview, of: "Ada", isWithOutcome: false, at: now + 5)?.outcome == nil)
    #expect(try await store.claim(.preview, by: other, at: now + 5)?.id == bobs.id)
  }

  @Test func serversThatClaimAtOnceDoNotGetTwo() async throws {
    for index in 0..<6 { #expect(try await store.place(preview("Account \(index)"))) }
    let claimed = try await withThrowingTaskGroup(of: DeskJob?.self) { group in
      for _ in 0..<6 { group.addTask { [store, now] in try await store.claim(.preview, by: UUID(), at: now) } }
      return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
    }
    #expect(claimed.count == 1)
  }

  @Test func whatWasReplacedOrTakenBackIsNobodysAnyMore() async throws {
    let (first, second) = (preview("Ada", "1"), preview("Ada", "2", after: 1))
    _ = try await store.place(first)
    _ = try await store.claim(.preview, by: one, at: now)
    _ = try await store.place(second)
    #expect(try await !store.beat(first.id, by: one, step: "", at: now + 2))
    try await store.end(first.id, by: one, as: .done, outcome: "old", at: now + 2)
    let there = try #require(try await store.job(.preview, of: "Ada", at: now + 2))
    #expect(there.id == second.id && there.state == .waiting && there.request == "2")
    try await store.remove(.preview, of: "Ada")
    #expect(try await store.job(.preview, of: "Ada", at: now + 2) == nil)
  }

  @Test func aServerThatDiedLeavesAJobThatIsBrokenOff() async throws {
    let job = preview("Ada")
    _ = try await store.place(job)
    _ = try await store.claim(.preview, by: one, at: now)
    #expect(try await store.job(.preview, of: "Ada", at: now + 29)?.state == .running)
    #expect(try await store.job(.preview, of: "Ada", at: now + 31)?.state == .broken)
    // Whoever asks for work clears it away, and does not begin it by itself.
    #expect(try await store.claim(.preview, by: other, at: now + 31) == nil)
    #expect(try await !store.beat(job.id, by: one, step: "", at: now + 32))
    // It had only been silent, and was done all the same.
    try await store.end(job.id, by: one, as: .done, outcome: "late", at: now + 33)
    #expect(try await store.job(.preview, of: "Ada", at: now + 33)?.outcome == "late")
    // A day later it is forgotten.
    _ = try await store.claim(.preview, by: other, at: now + 33 + DeskStore.lifetime + 1)
    #expect(try await store.job(.preview, of: "Ada", at: now + 33) == nil)
  }

  @Test func oneOrderIsOpenAtATimeAndAnOldOneIsNeverMadeLate() async throws {
    let event = AuditEvent(actor: "Ada", role: .administrator, action: "publication.order", subject: "publication")
    #expect(try await store.place(order(), audit: event))
    #expect(
      try await !store.place(
        order(after: 1),
        audit: AuditEvent(actor: "Bob", role: .administrator, action: "publication.order", subject: "publication")))
    // Nobody has begun it for too long: at the next start it is not made.
    #expect(try await store.claim(.publication, by: one, at: now + 31) == nil)
    #expect(try await store.job(.publication, at: now + 31)?.state == .broken)
    let again = order(after: 40)
    #expect(try await store.place(again))
    #expect(try await store.claim(.publication, by: one, at: now + 41)?.id == again.id)
    try await store.end(again.id, by: one, as: .failed, outcome: nil, at: now + 42)
    #expect(try await store.place(order(after: 43)))
    let rows = try await pool.withConnection { connection in
      try await connection.query("SELECT (SELECT count(*) FROM desk_jobs), (SELECT count(*) FROM audit_events)").first
    }
    #expect(try rows?.decode(0, as: Int64.self) == 1 && rows?.decode(1, as: Int64.self) == 1)
  }
}
