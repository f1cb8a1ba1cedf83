// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// Reports about calls that the network verified.
@Suite(.database) struct VerificationTests {
  private let number: Int64 = 12_015_550_123

  private func report(
    _ reporter: UInt8, _ value: CallVerification?, isTrusted: Bool = true, category: ReportCategory = .fraud,
    at time: Date? = nil
  ) -> Report {
    var report = Report(
      number: number, appID: 50, reportID: UUID(), reportedAt: time ?? now - 60, category: category,
      reporter: [UInt8](repeating: reporter, count: 16))
    report.verification = value.map { ReportedVerification($0, isTrusted: isTrusted) }
    return report
  }

  private func accept(_ reports: [Report]) async throws {
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
  }

  private func record() async throws -> NumberRecord {
    try #require(try await pool.withConnection { try await NumberRecordStore.record(of: number, on: $0) })
  }

  @Test func `failed calls of trusted senders count apart`() async throws {
    let failed = (1...3 as ClosedRange<UInt8>).map { report($0, .failed) }
    try await accept(
      failed + [report(3, .failed, at: now - 90), report(4, .passed), report(5, nil), report(6, CallVerification.none)])
    try await accept([report(7, .failed, isTrusted: false), report(8, .failed, category: .legitimate)])
    var stored = try await record()
    #expect(stored.calls == VerifiedCalls(failed: 4, passed: 1) && stored.calls.isMisused)
    let score = Score(stored, at: now)
    #expect(score.reporters == 4 && score.legitimate == 0)
    #expect(try await OperationStore(pool: pool).commonCountry() == "US")
    // Recounted weights stay 0.
    _ = try await ReporterStore(pool: pool).recount(protected: .none, at: now)
    #expect(try await record() == stored)
    #expect(try await RecountStore(pool: pool).recount(repairs: false).differences == 0)
    // A lost mark is restored.
    try await pool.withConnection { try await $0.execute(script: "UPDATE numbers SET has_failed_calls = false") }
    #expect(try await RecountStore(pool: pool).recount(repairs: true).differences == 1)
    #expect(try await record() == stored)
    let explanation = try await ExplanationStore(pool: pool).explain(number, at: now)
    #expect(explanation.lines.contains { $0.code == .misused } && explanation.evaluation?.ceiling != .block)
    // Reports after the beginning of the day are not shown to apps.
    let coarse = try await ExplanationStore(pool: pool).explainCoarsely(number, at: now + 60)
    #expect(coarse.score?.calls.failed ?? 0 == 0)
    // A withdrawn report, and one that a later report of the reporter follows.
    _ = try await ReportStore(pool: pool).withdraw(reportID: failed[0].reportID, appID: 50, at: now)
    stored = try await record()
    #expect(stored.calls == VerifiedCalls(failed: 3, passed: 1))
  }

  @Test func `an imported directory names a number of a list`() async throws {
    let app = try await AppStore(pool: pool).source(named: "A list", at: now)
    func listed(_ number: Int64) -> Report {
      Report(number: number, appID: app.id, reportID: UUID(), reportedAt: now - 60, category: .fraud, reporter: nil)
    }
    try await accept([listed(number), listed(number + 1)])
    let script = """
      INSERT INTO directory_sources (name, priority, generation) VALUES ('Businesses', 1, 1);
      CREATE TABLE directory_entries_1 PARTITION OF directory_entries FOR VALUES IN (1);
      CREATE TABLE directory_entries_2 PARTITION OF directory_entries FOR VALUES IN (2);
      INSERT INTO directory_entries (number, generation, mentions, name)
      VALUES (\(number), 1, 1, 'A bank'), (\(number + 1), 2, 1, 'A former name');
      """
    try await pool.withConnection { try await $0.execute(script: script) }
    let read = Mutex<[NumberRecord]>([])
    try await pool.withConnection { connection in
      try await NumberRecordStore.forEachRecord(above: HeatFloor(heat: 0.1), at: now, on: connection) { batch in
        read.withLock { $0 += batch }
      }
    }
    #expect(read.withLock { $0.map(\.isNamed) } == [true, false])
    #expect(try await record().isNamed)
  }
}

/// The share of failed calls by app.
@Suite struct FailedShareTests {
  private func origins(_ shares: [(verified: Int, failed: Int)]) -> [Int32: AppOrigins] {
    var origins: [Int32: AppOrigins] = [:]
    for (index, share) in shares.enumerated() {
      origins[Int32(index)] = AppOrigins(
        appID: Int32(index), reporters: 9, networks: 9, attested: 0, verified: share.verified, failed: share.failed)
    }
    return origins
  }

  @Test func `an app that says failed of everything is named`() {
    let honest = [(60, 12), (40, 12)]
    for (share, isUnusual) in [
      ((20, 20), true), ((19, 19), false), ((40, 29), false), ((40, 30), true), ((0, 0), false),
    ] {
      #expect(origins([share] + honest).failsUnusually(0) == isUnusual, "\(share)")
    }
    #expect(!origins([(100, 100)] + honest).failsUnusually(1) && !origins([(100, 100)]).failsUnusually(0))
    #expect(!origins(honest).failsUnusually(7))
  }
}
