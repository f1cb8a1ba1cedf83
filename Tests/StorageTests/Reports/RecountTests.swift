// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct RecountTests {
  private func fill() async throws -> ReportModel {
    var generator = SeededGenerator(seed: 9)
    var model = ReportModel(receivedAt: now)
    let reports = (0..<150).map { _ in Report.random(using: &generator, now: now) }
    for report in reports { _ = model.accept(report) }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    for report in reports.prefix(20) {
      _ = model.withdraw(reportID: report.reportID, appID: report.appID)
      _ = try await ReportStore(pool: pool).withdraw(reportID: report.reportID, appID: report.appID, at: now)
    }
    let items = model.numbers.flatMap { number in
      (0..<3 as Range<Int32>).map { day in
        IdentificationBatch.Item(number: number, day: 20_770 + day, named: 5, unknown: Int64(day))
      }
    }
    let batch = IdentificationBatch(
      appID: 1, batchID: UUID(), contentHash: [UInt8](repeating: 0, count: 32), items: items)
    _ = try await IdentificationStore(pool: pool).accept([batch], receivedAt: now)
    return model
  }

  private func damage(_ query: PostgresQuery) async throws {
    let rows = try await pool.execute(query)
    #expect(rows > 0)
  }

  @Test func `a recount of correct aggregates changes nothing`() async throws {
    let model = try await fill()
    let (summary, differences) = try await recountAll(repairs: true)
    #expect(differences == [])
    #expect(summary == RecountSummary(numbers: model.numbers.count, differences: 0, damagedNumbers: 0))
    try await expectStandings(model, at: now)
  }

  @Test func `every kind of damage is reported and repaired`() async throws {
    let model = try await fill()
    let numbers = model.numbers.sorted()
    try await damage("UPDATE numbers SET heat = heat * 1.001 + 1e-20 WHERE number = \(numbers[0])")
    try await damage("UPDATE numbers SET reports = reports + 1, reporters = 0 WHERE number = \(numbers[1])")
    try await damage("DELETE FROM numbers WHERE number = \(numbers[2])")
    try await damage(
      "UPDATE numbers SET first_reported_at = first_reported_at + interval '1 day' WHERE number = \(numbers[3])")
    try await damage("UPDATE number_categories SET evidence = evidence * 2 + 1e-3 WHERE number = \(numbers[4])")
    try await damage("DELETE FROM number_categories WHERE number = \(numbers[5])")
    try await damage("DELETE FROM number_reporters WHERE number = \(numbers[6])")
    try await damage("UPDATE number_reporters SET category_id = 10, weight = 3 WHERE number = \(numbers[7])")
    try await damage("UPDATE number_identifications SET named = 0, heat = 0 WHERE number = \(numbers[8])")
    try await damage("DELETE FROM number_identifications WHERE number = \(numbers[9])")
    // Rows of numbers without reports.
    try await damage(
      "INSERT INTO number_categories VALUES (40, 1, 1, 1, 1, 1), (999999999999999, 1, 1, 1, 1, 1)")
    try await damage("INSERT INTO number_identifications VALUES (41, 1, 1, 1, DATE '2026-11-01')")

    let (summary, differences) = try await recountAll()
    let named = Dictionary(grouping: differences, by: \.number)
    #expect(Set(named.keys) == Set(numbers.prefix(10) + [40, 41, 999_999_999_999_999]))
    #expect(summary.differences == differences.count)
    #expect(summary.damagedNumbers == 13)
    #expect(named[numbers[0]]?.map(\.what) == ["numbers.heat"])
    #expect(named[numbers[1]]?.map(\.what) == ["numbers.reports", "numbers.reporters"])
    #expect(named[numbers[2]] == [.init(number: numbers[2], what: "numbers", stored: nil, recounted: "a row")])
    #expect(named[numbers[3]]?.map(\.what) == ["numbers.first_reported_at"])
    #expect(named[numbers[6]]?.allSatisfy { $0.what.hasPrefix("number_reporters[") && $0.stored == nil } == true)
    #expect(
      named[numbers[8]]?.map(\.what) == ["number_identifications.heat", "number_identifications.named"])
    #expect(named[40] == [.init(number: 40, what: "number_categories[1]", stored: "a row", recounted: nil)])

    // Only a part of the numbers.
    #expect(try await recountAll(1...100, repairs: true).summary.damagedNumbers == 2)
    #expect(try await recountAll(repairs: true).summary.damagedNumbers == 11)
    #expect(try await recountAll().differences == [])
    try await expectStandings(model, at: now)
  }

  /// As many networks as reports with one, and no more.
  @Test func `network bits without a report are found and repaired`() async throws {
    let number: Int64 = 33_199_000_248
    let report = Report(
      number: number, appID: 1, reportID: UUID(), reportedAt: now, category: .fraud,
      reporter: [UInt8](repeating: 1, count: 16), network: [UInt8](repeating: 3, count: 8))
    _ = try await ReportStore(pool: pool).accept([report], receivedAt: now)
    for bits in [0b1011, 0b10000, 0] as [Int64] {
      try await damage("UPDATE numbers SET network_bits = \(bits) WHERE number = \(number)")
      #expect(
        try await recountAll(repairs: true).differences == [
          .init(number: number, what: "numbers.network_bits", stored: "\(bits)", recounted: "8")
        ])
      #expect(try await recountAll().differences == [])
    }
    // Of a network that is deleted one bit may be left, whichever it is.
    try await damage("UPDATE reports SET network = NULL WHERE number = \(number)")
    #expect(try await recountAll().differences == [])
    try await damage("UPDATE numbers SET network_bits = 3 WHERE number = \(number)")
    #expect(try await recountAll(repairs: true).differences.map(\.what) == ["numbers.network_bits"])
    #expect(try await recountAll().differences == [])
  }

  @Test func `a recount during incoming reports is exact and a repair loses none`() async throws {
    let model = try await fill()
    let numbers = model.numbers.sorted()
    let number = numbers[0]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for round in 0..<15 {
            let reports = numbers.map { number in
              Report(
                number: number, appID: 3, reportID: UUID(), reportedAt: now - Double(round), category: .robocall,
                reporter: [UInt8](repeating: UInt8(100 + writer * 15 + round), count: 16))
            }
            _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now + Double(round))
          }
        }
      }
      group.addTask {
        for _ in 0..<10 {
          #expect(try await recountAll(number + 1...RecountStore.allNumbers.upperBound).differences == [])
          try await pool.withConnection {
            _ = try await $0.execute("UPDATE numbers SET reports = reports + 7 WHERE number = \(number)")
            _ = try await $0.execute("DELETE FROM number_categories WHERE number = \(number)")
          }
          _ = try await recountAll(number...number, repairs: true)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await recountAll().differences == [])
    let standing = try await NumberStore(pool: pool).standing(of: number)
    #expect(standing.parts.first { $0.category == .robocall }.map(\.reporters).map { $0 >= 60 } == true)
  }
}
