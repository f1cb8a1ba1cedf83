// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct RangeAndAppealTests {
  private func complain(
    _ numbers: [Int64], reporters: Int, daysAgo: Double = 0, _ category: ReportCategory = .oneRing
  ) async throws {
    let reports = numbers.flatMap { number in
      (0..<reporters).map { index in
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: now - daysAgo * 86_400, category: category,
          reporter: [UInt8(index), UInt8(truncatingIfNeeded: number)] + [UInt8](repeating: 9, count: 14))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
  }

  private func state() async throws -> CurationState {
    return try await PublicationStore(pool: pool).withSnapshot { try await CurationStateStore.load(at: now, on: $0) }
  }

  /// Whether apps see on the next day that a number is identified and not blocked.
  private func appsSee(_ victim: Int64) async throws -> Bool {
    let time = now + 86_400
    return try await pool.withConnection {
      try await AppealStore.victims(at: time, numbers: [victim], on: $0) == [victim]
    }
  }

  @Test func `ranges are proposed once and published when approved`() async throws {
    let store = RangeStore(pool: pool)
    // Five of 10; fourteen of 100, six of them in one range of 10; one hot number with random neighbors.
    try await complain((0..<5).map { 33_199_000_240 + $0 * 2 }, reporters: 4)
    try await complain((0..<6).map { 33_199_100_050 + $0 } + (0..<8).map { 33_199_100_000 + $0 * 6 }, reporters: 5)
    try await complain([44_162_000_240], reporters: 60)
    try await complain((1..<5).map { 44_162_000_240 + $0 }, reporters: 3)
    let found = try await store.detect(at: now)
    #expect(found.map(\.text) == ["+3319900024x", "+331991000xx"])
    #expect(try await store.detect(at: now + 1) == [])
    let proposed = try await store.rules(.proposed)
    #expect(proposed.map(\.members) == [5, 14])
    #expect(proposed.map(\.category) == [.oneRing, .oneRing])
    #expect(try await state().rules.isEmpty)

    let service = RangeService(stores: Stores(pool: pool))
    try await service.decide([proposed[0]], isApproved: true, by: .commandLine("Ada"), reason: nil, at: now)
    try await service.decide(
      [proposed[1]], isApproved: false, by: .commandLine("Ada"), reason: "A call centre.", at: now)
    #expect(try await store.detect(at: now + 2) == [])
    let approved = try await state().rules
    #expect(approved.map(\.range) == [found[0]])
    #expect(abs(Decay.heat.value(ofStoredSum: approved[0].heat, at: now) - 10) < 0.001)
  }

  @Test func `numbers that only lists contain propose no range`() async throws {
    let list = try await AppStore(pool: pool).source(named: "list", at: now).id
    let numbers = (0..<6).map { Int64(33_199_000_240) + $0 }
    let reports = numbers.flatMap { number in
      (0..<5).map { _ in
        Report(
          number: number, appID: list, reportID: UUID(), reportedAt: now, category: .oneRing, reporter: nil)
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    #expect(try await RangeStore(pool: pool).detect(at: now) == [])
    try await complain(numbers, reporters: 1)
    #expect(try await RangeStore(pool: pool).detect(at: now).map(\.text) == ["+3319900024x"])
  }

  @Test func `an appeal excludes a victim of spoofing until it is rejected`() async throws {
    let (victim, nuisance): (Int64, Int64) = (33_199_000_248, 33_199_000_249)
    try await complain([victim, nuisance], reporters: 12, daysAgo: 3)
    for day in 4..<8 { try await complain([nuisance], reporters: 12, daysAgo: Double(day)) }
    let store = AppealStore(pool: pool)
    #expect(try await state().victims == [])
    var appeal = try Appeal(number: victim, statement: "It was not me.", filedAt: now - 86_400)
    for number in [victim, nuisance] {
      appeal.number = number
      try await store.file(appeal)
      try await store.file(appeal)
    }
    #expect(try await state().victims == [victim])
    // Reports change what apps see on the next day.
    #expect(try await appsSee(victim))
    #expect(try await store.open().count == 2)

    let answer = try appeal.answered(.rejected, by: "Ada", at: now, answer: nil)
    var mine = answer
    mine.number = victim
    _ = try await pool.run(SQL.answerAppeal(appeal: mine))
    #expect(try await !appsSee(victim))
    mine.state = .upheld
    _ = try await pool.run(SQL.answerAppeal(appeal: mine))
    #expect(try await appsSee(victim))
    #expect(try await store.appeals(of: victim).map(\.state) == [.upheld])
  }
}
