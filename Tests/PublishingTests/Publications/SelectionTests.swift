// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Publishing
import Storage
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct SelectionTests {
  private var store: PublicationStore { PublicationStore(pool: pool) }

  /// Stores reports for each number from this many reporters and networks, which arrive on so many days.
  private func fill(_ numbers: [(number: Int64, reporters: Int, networks: Int, days: Int)]) async throws {
    let reports = numbers.enumerated().flatMap { index, item in
      let (number, reporters, networks, days) = item
      return (0..<reporters).map { reporter in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: now - Double(reporter % days) * 86_400,
          category: .fraud, reporter: [UInt8(index)] + [UInt8](repeating: UInt8(reporter), count: 15),
          network: [UInt8](repeating: UInt8(reporter % networks), count: 8))
      }
    }
    for day in Dictionary(grouping: reports, by: \.reportedAt).sorted(by: { $0.key < $1.key }) {
      _ = try await ReportStore(pool: pool).accept(day.value, receivedAt: day.key)
    }
  }

  private func listed(at time: Date? = nil) async throws -> [ListedNumber] {
    let found = Mutex<[ListedNumber]>([])
    try await store.withSnapshot { connection in
      try await Selection().forEachListed(at: time ?? now, on: connection) { batch in found.withLock { $0 += batch } }
    }
    return found.withLock { $0 }
  }

  @Test func `a listing needs many reporters from several networks on several days`() async throws {
    try await fill([
      (12_015_550_101, 8, 4, 3), (12_015_550_102, 30, 1, 3), (12_015_550_103, 30, 4, 1), (12_015_550_104, 2, 2, 2),
      (33_199_000_248, 8, 4, 3),
    ])
    let found = try await listed()
    #expect(found.map(\.number) == [12_015_550_101, 33_199_000_248])
    #expect(
      found.allSatisfy { $0.category == .fraud && $0.treatment == .block && $0.heat > 3 && $0.evidence > $0.heat })
    // A country's own threshold.
    var strict = try #require(try await ThresholdStore(pool: pool).current().threshold(for: .fraud) { nil })
    strict.country = "FR"
    strict.enter.reporters = 9
    let set = try await ThresholdStore(pool: pool).current().replacing(strict)
    try await ThresholdStore(pool: pool).save(set, after: 1, by: .commandLine("Ada"), because: "Test", at: now)
    // Eight reporters still identify it.
    #expect(try await listed().map(\.number) == [12_015_550_101, 33_199_000_248])
    #expect(try await listed().map(\.treatment) == [.block, .identify])
  }

  /// A label needs less than a block, and one reporter, network and day more than it.
  @Test func `independent reports identify a number before they block it`() async throws {
    let numbers = [(3, 3, 3), (2, 2, 2), (4, 2, 3), (4, 3, 2), (5, 3, 3)]
    try await fill(numbers.enumerated().map { (12_015_550_101 + Int64($0), $1.0, $1.1, $1.2) })
    let found = try await listed()
    #expect(found.map(\.number) == [12_015_550_101, 12_015_550_105])
    #expect(found.map(\.treatment) == [.identify, .block])
  }

  /// The days in reports are their senders' word.
  @Test func `reports that arrive on one day list nothing whatever days they claim`() async throws {
    let reports = (0..<30 as Range<UInt8>).map { reporter in
      let day = now - Double(reporter % 5) * 86_400
      return Report(
        number: 12_015_550_101, appID: 1, reportID: UUID(), reportedAt: day, category: .fraud,
        reporter: [UInt8](repeating: reporter, count: 16), network: [UInt8](repeating: reporter, count: 8))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    #expect(try await listed().isEmpty)
  }

  @Test func `a listed number stays until it falls below the leave limits`() async throws {
    try await fill([(12_015_550_101, 6, 3, 2), (12_015_550_102, 6, 3, 2)])
    #expect(try await listed().count == 2)
    try await pool.execute(
      "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (12015550101, 1, 1, \(now))")
    // Heat 3 today: under 2 after nine days, under 1 after twenty-three, under 0.4 after forty-one.
    #expect(try await listed(at: now + 10 * 86_400).map(\.number) == [12_015_550_101])
    #expect(try await listed(at: now + 10 * 86_400).map(\.treatment) == [.block])
    #expect(try await listed(at: now + 25 * 86_400).map(\.treatment) == [.identify])
    #expect(try await listed(at: now + 45 * 86_400).isEmpty)
  }

  private func blocked(_ listed: [ListedNumber]) -> Set<Int64> {
    Set(listed.filter { $0.treatment == .block }.map(\.number))
  }

  @Test func `a preview is the difference of two selections`() async throws {
    var generator = SeededGenerator(seed: 51)
    try await fill(
      (0..<150).map { index in
        let base: Int64 = index % 3 == 0 ? 33_199_000_000 : 12_015_550_000
        return (
          base + Int64(index), Int.random(in: 1...14, using: &generator), Int.random(in: 1...4, using: &generator),
          Int.random(in: 1...4, using: &generator)
        )
      })
    let thresholds = ThresholdStore(pool: pool)
    let present = try await thresholds.current()
    var general = try #require(present.threshold(for: .fraud) { nil })
    general.enter.days = 1
    var french = general
    french.country = "FR"
    french.enter.reporters = 10
    let change = try present.replacing(general).replacing(french)

    let preview = try await store.withSnapshot { connection in
      try await Selection().preview(change, against: present, at: now, examples: 3, on: connection)
    }
    let former = try await listed()
    let before = Set(former.map(\.number))
    try await thresholds.save(change, after: 1, by: .commandLine("Ada"), because: "Test", at: now)
    let later = try await listed()
    let after = Set(later.map(\.number))

    let total = preview.total
    #expect(total.added == after.subtracting(before).count && total.added > 3)
    #expect(total.taken == before.subtracting(after).count && total.taken > 0)
    #expect(total.kept == before.intersection(after).count && total.kept > 0)
    let (was, becomes) = (blocked(former), blocked(later))
    #expect(total.raised == becomes.subtracting(was).intersection(before).count)
    #expect(total.lowered == was.subtracting(becomes).intersection(after).count && total.lowered > 0)
    #expect(Set(preview.changes.keys.map(\.country)) == ["FR", "US"])
    #expect(preview.changes[.init(category: .fraud, country: "US")]?.taken == 0)
    #expect(preview.added.count == 3 && preview.added.allSatisfy { after.subtracting(before).contains($0.number) })
    #expect(preview.added.map(\.score.heat) == preview.added.map(\.score.heat).sorted(by: >))
    #expect(preview.taken.allSatisfy { before.subtracting(after).contains($0.number) })
  }

  @Test func `a preview respects decisions, ranges and the next review`() async throws {
    let (burst, member, decided, plain, labeled): (Int64, Int64, Int64, Int64, Int64) = (
      12_015_550_101, 33_199_000_248, 12_015_550_201, 12_015_550_301, 12_015_550_401
    )
    // The first number has all reports on one day; the others are listed for different reasons.
    try await fill([
      (burst, 14, 4, 1), (member, 8, 4, 3), (decided, 8, 4, 3), (plain, 8, 4, 2), (labeled, 8, 4, 3),
    ])
    let time = now
    try await pool.withConnection { connection in
      _ = try await connection.execute(
        """
        INSERT INTO ranges (number, pattern, app_id, prefix, firsts, lasts, state, treatment, category_id, members, heat, proposed_at,
                            decided_at, decided_by)
        VALUES (33199000240, '+3319900024x', 0, 3319900024, '{33199000240}', '{33199000249}', 'approved', 'block',
                8, 5, 1, \(time), \(time), 'Ada')
        """)
      // Eight reporters of each are known, so that only the burst is held.
      _ = try await connection.execute(
        """
        INSERT INTO reporters (reporter, first_received_at, numbers, established_at, judged, agreed, brigades,
                               is_established, recounted_at)
        SELECT DISTINCT reporter, \(time - 30 * 86_400), 3, \(time - 16 * 86_400), 0, 0, 0, true, \(time)
        FROM reports WHERE get_byte(reporter, 1) < 8
        """)
    }
    _ = try await DecisionService(pool: pool).record(
      try Decision(number: decided, treatment: .block, reason: "Known.", decidedBy: "Ada", decidedAt: now))
    let thresholds = ThresholdStore(pool: pool)
    let present = try await thresholds.current()
    var wide = try #require(present.threshold(for: .fraud) { nil })
    (wide.enter.days, wide.leave.days) = (1, 1)
    var strict = wide
    (strict.country, strict.enter.reporters) = ("FR", 50)
    var american = wide
    (american.country, american.enter.reporters) = ("US", 9)
    let change = try present.replacing(wide).replacing(strict).replacing(american)
    let holding = BrigadeReview(store: HoldStore(pool: pool))

    let preview = try await store.withSnapshot { connection in
      try await Selection().preview(
        change, against: present, at: now, examples: 3, holding: holding, on: connection)
    }
    // The plain number is removed. The range keeps the member, the decision keeps the decided number, and the burst
    // would be held. A number of three days is no longer blocked, but still identified.
    #expect(preview.taken.map(\.number) == [plain] && preview.added.isEmpty)
    #expect(preview.newlyHeld == 1 && preview.released == 0 && preview.total.kept == 2)
    #expect(preview.total.lowered == 1 && preview.total.raised == 0)
    #expect(preview.fixed == 1 + 9)
    #expect(try await HoldStore(pool: pool).held().isEmpty)

    try await thresholds.save(change, after: 1, by: .commandLine("Ada"), because: "Test", at: now)
    #expect(try await holding.review(at: now).new == 1)
    let after = Dictionary(uniqueKeysWithValues: try await listed().map { ($0.number, $0.treatment) })
    #expect(after[member] == .block && after[decided] == .block && after[plain] == nil && after[burst] == nil)
    #expect(after[labeled] == .identify)
    // The other nine numbers of the range are listed by its rule.
    #expect(after.count + 9 == preview.total.kept + preview.total.added + preview.fixed)
  }
}
