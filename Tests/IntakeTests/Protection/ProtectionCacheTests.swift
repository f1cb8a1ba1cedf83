// SPDX-License-Identifier: Apache-2.0

import Jobs
import Curation
import Foundation
import Intake
import PostgreSQL
import Storage
import TestSupport
import Testing
import Support

@Suite(.database) struct ProtectionCacheTests {
  private let number: Int64 = 33_199_000_248

  private func submission(_ reporter: String) -> ReportSubmission {
    ReportSubmission(
      number: "+\(number)", category: "fraud", reporter: reporter, reportID: UUID().uuidString,
      reportedAt: Timestamp.format(Date()))
  }

  @Test func `a report of a protected number is stored without weight`() async throws {
    let (pool, number) = (pool, number)
    let app = try await AppStore(pool: pool).create(name: "Test app", at: Date()).app
    let protection = ProtectionStore(pool: pool)
    let watch = ProtectionCache(store: protection)
    let intake = ReportIntake(
      store: ReportStore(pool: pool), pseudonymizer: Pseudonymizer(key: [UInt8](repeating: 1, count: 32)),
      patience: .seconds(300), stallLimit: .seconds(300), protection: watch)
    async let running: Void = intake.run()

    try await watch.refresh()
    #expect(watch.numbers.rule(for: number) == nil)
    #expect(try await intake.take(submission("a"), from: app).outcome == .created)
    try await protection.add([(.number(number), "A bank")], by: "Ada", at: Date())
    #expect(watch.numbers.rule(for: number) == nil)
    try await watch.refresh()
    #expect(watch.numbers.rule(for: number) != nil)
    let report = submission("b")
    #expect(try await intake.take(report, from: app).outcome == .created)
    #expect(try await intake.take(report, from: app).outcome == .duplicate)
    let record = try #require(try await NumberStore(pool: pool).record(of: number))
    #expect(record.standing.reports == 2)
    #expect(record.standing.parts.map(\.reporters) == [1])

    // The hourly job corrects earlier reports, and reports after protection was removed.
    let job = ReporterWeightJob(
      reporters: ReporterStore(pool: pool), protection: protection, ranges: RangeStore(pool: pool), logger: .forTests)
    try await job.runOnce(at: Date())
    #expect(try await NumberStore(pool: pool).standing(of: number).heat == 0)
    #expect(try await protection.remove(.number(number), by: .commandLine("Ada"), at: Date()))
    try await job.runOnce(at: Date())
    #expect(try await NumberStore(pool: pool).standing(of: number).parts.map(\.reporters) == [2])
    intake.close()
    await running
  }

  /// The same steps as an import.
  @Test func `list rows about protected numbers have no weight`() async throws {
    try await ProtectionStore(pool: pool).add([(.number(number), "A bank")], by: "Ada", at: Date())
    let watch = ProtectionCache(store: ProtectionStore(pool: pool))
    try await watch.refresh()
    let list = try await AppStore(pool: pool).source(named: "A list", at: Date())
    let rows = [number, number + 1].map { number in
      Report(
        number: number, appID: list.id, reportID: UUID(), reportedAt: Date(), category: .fraud, reporter: nil)
    }
    _ = try await ReportStore(pool: pool).accept(watch.unweighing(rows), receivedAt: Date())
    #expect(try await NumberStore(pool: pool).standing(of: number).heat == 0)
    #expect(try await NumberStore(pool: pool).standing(of: number + 1).heat > 0)
  }
}
