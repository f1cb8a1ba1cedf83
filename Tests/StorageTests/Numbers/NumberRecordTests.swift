// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

/// The records from the database are sufficient: evaluating them in batches gives the same result as each number by
/// itself.
@Suite(.database) struct NumberRecordTests {
  private func country(_ number: Int64) -> String? { ["DE", "FR", nil][Int(number % 3)] }

  private func fill(seed: UInt64, count: Int) async throws -> [NumberRecord] {
    var generator = SeededGenerator(seed: seed)
    let records = (0..<count).map { index in
      NumberRecord.random(number: 33_100_000_000 + Int64(index) * 7, at: now, using: &generator)
    }
    for start in stride(from: 0, to: count, by: 10_000) {
      try await pool.insert(Array(records[start..<min(count, start + 10_000)]), at: now)
    }
    return records
  }

  private func verdicts(
    _ records: [NumberRecord], by thresholds: ThresholdSet
  ) -> [Int64: Verdict] {
    var verdicts: [Int64: Verdict] = [:]
    for record in records {
      let evaluation = Score(record, at: now).evaluate(by: thresholds, in: OverrideState()) { country(record.number) }
      if [.candidate, .listed].contains(evaluation.verdict) { verdicts[record.number] = evaluation.verdict }
    }
    return verdicts
  }

  @Test func `the database filter omits no listed number of thirty thousand`() async throws {
    let records = try await fill(seed: 31, count: 30_000)
    var generator = SeededGenerator(seed: 32)
    for _ in 0..<8 {
      let thresholds = try ThresholdSet.random(countries: ["DE", "FR"], using: &generator)
      let expected = verdicts(records, by: thresholds)
      let read = Mutex<[NumberRecord]>([])
      try await pool.withConnection { connection in
        try await NumberRecordStore.forEachRecord(above: thresholds.floor, at: now, on: connection) {
          batch in
          read.withLock { $0 += batch }
        }
      }
      let all = read.withLock { $0 }
      #expect(all.map(\.number) == all.map(\.number).sorted())
      #expect(all.count < records.count)
      #expect(verdicts(all, by: thresholds) == expected)
      #expect(Set(expected.values) == [.candidate, .listed])
    }
  }

  @Test func `a cut omits numbers below both of its limits`() async throws {
    let records = try await fill(seed: 41, count: 3_000)
    let (now, ringing) = (now, Set(records.filter { $0.number % 3 == 0 }.map(\.number)))
    try await pool.execute(
      """
      INSERT INTO number_identifications (number, heat, named, unknown, last_day)
      SELECT number, \(Decay.heat.storedSum(of: 1, at: now)) * (number % 10), 1, 0, '2026-11-20'
      FROM unnest(\(ringing.sorted())) AS t (number)
      """)
    let heats = records.map { Decay.heat.value(ofStoredSum: $0.standing.heat, at: now) }.sorted()
    let cut = SelectionCut(heat: heats[2_500], identifications: 5)
    for cut in [cut, SelectionCut(heat: cut.heat, identifications: .infinity)] {
      let expected = records.filter { record in
        let heat = Decay.heat.value(ofStoredSum: record.standing.heat, at: now)
        let calls = ringing.contains(record.number) ? Double(record.number % 10) : 0
        return heat >= cut.heat || heat >= 0.5 && calls >= cut.identifications
      }
      var read: [NumberRecord] = []
      try await pool.withConnection { connection in
        var all: [NumberRecord] = []
        try await NumberRecordStore.forEachRecord(above: HeatFloor(heat: 0.5), cut: cut, at: now, on: connection) {
          all += $0
        }
        return all
      }.forEach { read.append($0) }
      #expect(read.map(\.number) == expected.map(\.number))
      #expect(read.map(\.standing) == expected.map(\.standing))
      #expect(read.allSatisfy { $0.lastReportedAt == now })
    }
  }

  @Test func `numbers with enough reporters are read from a lower heat on`() async throws {
    let now = now
    let records = try await fill(seed: 47, count: 500)
    let heats = records.map { Decay.heat.value(ofStoredSum: $0.standing.heat, at: now) }.sorted()
    let floor = HeatFloor(heat: (heats[400] + heats[401]) / 2, reported: (heats[100] + heats[101]) / 2, reporters: 4)
    let read = try await pool.withConnection { connection in
      var numbers: [Int64] = []
      try await NumberRecordStore.forEachRecord(above: floor, at: now, on: connection) { numbers += $0.map(\.number) }
      return numbers
    }
    let expected = records.filter { record in
      let heat = Decay.heat.value(ofStoredSum: record.standing.heat, at: now)
      return heat >= floor.heat || heat >= floor.reported && (record.standing.complainers >= 4 || record.isListed)
    }
    #expect(read == expected.map(\.number))
    #expect(expected.contains { $0.standing.complainers == 4 && !$0.isListed } && expected.count < records.count)
  }

  @Test func `a stored record reads back the same`() async throws {
    let records = try await fill(seed: 33, count: 300)
    for record in records {
      var read = try await NumberStore(pool: pool).record(of: record.number)
      read?.firstReportedAt = nil
      read?.lastReportedAt = nil
      #expect(read == record)
    }
    #expect(try await NumberStore(pool: pool).record(of: 1) == nil)
  }

  @Test func `decisions, holds and protection have priority over thresholds`() async throws {
    let records = try await fill(seed: 37, count: 2_000)
    let hottest = records.sorted { $0.standing.heat > $1.standing.heat }.prefix(4).map(\.number)
    _ = try await DecisionService(pool: pool).record(
      try Decision(number: hottest[0], treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: now))
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
    _ = try await HoldStore(pool: pool).hold([(hottest[1], finding)], at: now)
    try await ProtectionStore(pool: pool).add([(.number(hottest[2]), "A bank")], by: "Ada", at: now)
    let verdicts = try await pool.withConnection { connection -> [Int64: Verdict] in
      let state = try await CurationStateStore.load(at: now, on: connection)
      let thresholds = try await ThresholdStore.current(on: connection).set
      let read = try await NumberRecordStore.records(of: hottest, on: connection)
      return Dictionary(
        uniqueKeysWithValues: read.map { record in
          let overrides = state.overrides(of: record.number)
          return (record.number, Score(record, at: now).evaluate(by: thresholds, in: overrides).verdict)
        })
    }
    #expect(hottest.prefix(3).map { verdicts[$0] } == [.decided, .held, .protected])
    #expect([.listed, .candidate, .needsReview].contains(verdicts[hottest[3]]))
  }
}

extension NumberAggregate {
  fileprivate var complainers: Int32 { parts.filter(\.category.isToxic).reduce(0) { $0 + $1.reporters } }
}

extension PostgresPool {
  /// Stores records as they are, without reports.
  func insert(_ records: [NumberRecord], at now: Date) async throws {
    let parts = records.flatMap { record in record.standing.parts.map { (record.number, $0) } }
    let sources = records.flatMap { record in record.sources.map { (record.number, $0) } }
    let listed = records.filter(\.isListed)
    try await withConnection { connection in
      _ = try await connection.execute(
        """
        INSERT INTO numbers (number, heat, evidence, legitimate, reports, reporters, first_reported_at,
                             last_reported_at, day_bits, last_day, network_bits)
        SELECT number, heat, 0, 0, 0, reporters, \(now), \(now), day_bits, DATE '1970-01-01' + last_day, network_bits
        FROM unnest(\(records.map(\.number)), \(records.map(\.standing.heat)),
                    \(records.map { Int64(bitPattern: $0.days.bits) }), \(records.map(\.days.lastDay)),
                    \(records.map { Int64(bitPattern: $0.networks.bits) }), \(records.map(\.standing.complainers)))
          AS t (number, heat, day_bits, last_day, network_bits, reporters)
        """)
      _ = try await connection.execute(
        """
        INSERT INTO number_categories (number, category_id, heat, evidence, reports, reporters)
        SELECT * FROM unnest(\(parts.map(\.0)), \(parts.map(\.1.category.rawValue)), \(parts.map(\.1.heat)),
                             \(parts.map(\.1.evidence)), \(parts.map(\.1.reports)), \(parts.map(\.1.reporters)))
        """)
      _ = try await connection.execute(
        """
        INSERT INTO number_sources (number, app_id, complaints, heat, evidence, day_bits, last_day)
        SELECT number, app_id, complaints, heat, evidence, day_bits, DATE '1970-01-01' + last_day
        FROM unnest(\(sources.map(\.0)), \(sources.map(\.1.appID)), \(sources.map { Int32($0.1.complaints) }),
                    \(sources.map(\.1.heat)), \(sources.map(\.1.evidence)),
                    \(sources.map { Int64(bitPattern: $0.1.days.bits) }), \(sources.map(\.1.days.lastDay)))
          AS t (number, app_id, complaints, heat, evidence, day_bits, last_day)
        """)
      _ = try await connection.execute(
        """
        INSERT INTO listings (number, category_id, treatment, serial, listed_at)
        SELECT number, 1, treatment, 1, \(now)
        FROM unnest(\(listed.map(\.number)), \(listed.map { Int16($0.isBlocked ? 0 : 1) })) AS t (number, treatment)
        """)
    }
  }
}
