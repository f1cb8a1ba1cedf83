// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// Lookups of apps, with the thresholds that an earlier one has read.
@Suite(.database) struct CoarseExplanationTests {
  private let number: Int64 = 12_015_550_140

  private func report(_ number: Int64, by reporter: UInt8?, appID: Int32 = 1, at time: Date) async throws {
    let report = Report(
      number: number, appID: appID, reportID: UUID(), reportedAt: time - 60, category: .fraud,
      reporter: reporter.map { [UInt8](repeating: $0, count: 16) },
      network: reporter.map { [UInt8](repeating: $0, count: 8) })
    _ = try await ReportStore(pool: pool).accept([report], receivedAt: time)
  }

  private func execute(_ script: String) async throws {
    try await pool.withConnection { try await $0.execute(script: script) }
  }

  @Test func `rows of a list are seen at once, reports of apps are not`() async throws {
    let list = try await AppStore(pool: pool).source(named: "a-list", at: now)
    try await report(number, by: nil, appID: list.id, at: now)
    try await report(number + 1, by: 1, at: now)
    let store = ExplanationStore(pool: pool)
    let listed = try await store.explainCoarsely(number, at: now + 1)
    #expect(listed.lists == [list.id: "a-list"])
    #expect(listed.score != nil)
    #expect(try await store.explainCoarsely(number + 1, at: now + 1).score == nil)
    // Nothing about a row of a list has to be left out for apps, so one snapshot is enough.
    let marked = try await pool.column("SELECT number FROM numbers WHERE last_received_at IS NOT NULL", as: Int64.self)
    #expect(marked == [number + 1])
    // A later row of a list keeps the time of the last report of a reporter.
    try await report(number + 1, by: nil, appID: list.id, at: now + 2)
    #expect(try await store.explainCoarsely(number + 1, at: now + 3).weights.new == 0)
  }

  @Test func `apps see the vote that the newest one replaced`() async throws {
    typealias Former = (reported: Double, received: Double, category: Int, weight: Double)
    // It makes the partition of the month.
    try await report(number + 9, by: 1, at: now)
    let newest: Former = (-9, 0, 3, 1)
    let pairs: [(Former, Former)] = [
      ((-90, -80, 1, 1), (-91, -70, 2, 1)), ((-90, -80, 1, 1), (-90, -81, 2, 1)), ((-90, -80, 2, 1), (-90, -80, 1, 1)),
      ((-90, -80, 1, 1), (-90, -80, 1, 0.5)),
    ]
    for (place, (one, other)) in pairs.enumerated() {
      for (part, formers) in [[one, other], [other, one]].enumerated() {
        let number = number + Int64(place * 2 + part)
        for (reported, received, category, weight) in formers + [newest] {
          try await execute(
            """
            INSERT INTO reports (number, app_id, report_id, reported_at, received_at, category_id, reporter, weight)
            VALUES (\(number), 1, gen_random_uuid(), '\((now + reported).ISO8601Format())', '\((now + received).ISO8601Format())',
              \(category), decode(repeat('00', 16), 'hex'), \(weight))
            """)
        }
        try await execute(
          """
          INSERT INTO number_reporters (number, reporter, category_id, reported_at, weight, received_at)
          SELECT number, reporter, category_id, reported_at, weight, received_at FROM reports
          WHERE number = \(number) AND category_id = 3
          """)
        let parts = try await pool.run(SQL.readUnseenParts(number: number, since: now))
        let former = try #require(parts.first { $0.part.reporters == 1 })
        #expect(Int(former.part.category.rawValue) == one.category)
        #expect(former.weights.full == 1 && former.weights.partial == 0)
        #expect(parts.contains { $0.part.category.rawValue == 3 && $0.part.reporters == -1 && $0.weights.full == -1 })
      }
    }
  }

  @Test func `a new version of the thresholds and another ceiling are used at once`() async throws {
    let list = try await AppStore(pool: pool).source(named: "a-list", at: now)
    try await report(number, by: 1, at: now - 86_400 * 2)
    try await report(number, by: nil, appID: list.id, at: now - 86_400 * 2)
    let store = ExplanationStore(pool: pool)
    let before = try await store.explainCoarsely(number, at: now)
    try await execute(
      """
      INSERT INTO threshold_versions SELECT 2, saved_at, saved_by, reason FROM threshold_versions;
      INSERT INTO source_rules SELECT 2, app_id, weight, enter_complaints, enter_days, leave_complaints, leave_days,
        block_complaints FROM source_rules;
      INSERT INTO attestation_rules SELECT 2, app_id, hardware, software, unattested FROM attestation_rules;
      INSERT INTO threshold_rules SELECT 2, category_id, country, review_heat, enter_heat + 40, enter_evidence,
        enter_confidence, enter_reporters, enter_networks, enter_days, leave_heat, leave_evidence, leave_confidence,
        leave_reporters, leave_networks, leave_days FROM threshold_rules;
      """)
    let after = try await store.explainCoarsely(number, at: now)
    #expect(after.evaluation?.conditions != before.evaluation?.conditions)
    #expect(after == (try await ExplanationStore(pool: pool).explainCoarsely(number, at: now)))
    let cache = ThresholdCache(pool: pool)
    let ceiling: CeilingRow = (list.id, .identify, false, nil)
    #expect(try await cache.set(2, []).ceilings == [:])
    #expect(try await cache.set(2, [ceiling]).ceilings == [list.id: .identify])
    #expect(try await cache.set(2, []).ceilings == [:])
    await #expect(throws: StorageError.self) { try await cache.set(nil, []) }
  }
}
