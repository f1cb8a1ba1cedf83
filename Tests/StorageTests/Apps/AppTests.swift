// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct AppTests {
  private var apps: AppStore { AppStore(pool: pool) }

  @Test func `two keys are valid during a rotation`() async throws {
    let (app, old) = try await apps.create(name: "Phone", scopes: [.report, .lookup], at: now)
    let new = try await apps.rotate(name: "Phone", overlap: 60, at: now)
    for key in [old, new] {
      let found = try await apps.app(key: key, at: now + 59)
      #expect(found?.id == app.id)
      #expect(found?.scopes == [.report, .lookup])
    }
    #expect(try await apps.app(key: old, at: now + 60) == nil)
    #expect(try await apps.app(key: new, at: now + 60) != nil)
    let newest = try #require(try await apps.keys(of: "Phone").first)
    try await apps.change(keyID: newest.id, to: .lookup, at: now)
    #expect(try await apps.app(key: new, at: now)?.scopes == .lookup)
    await #expect(throws: AppError.changed(newest.id)) {
      try await apps.change(keyID: newest.id, to: .report, insteadOf: [.report, .lookup], at: now)
    }
    #expect(try await apps.app(key: new, at: now)?.scopes == .lookup)
    try await apps.change(keyID: newest.id, to: [.report, .lookup], insteadOf: .lookup, at: now)
    try await apps.revoke(keyID: newest.id, at: now)
    #expect(try await apps.app(key: new, at: now) == nil)
    await #expect(throws: AppError.nameTaken("Phone")) { _ = try await apps.create(name: "Phone", at: now) }
    await #expect(throws: AppError.notValid(newest.id)) {
      try await apps.change(keyID: newest.id, to: .standard, at: now)
    }
  }

  /// A server that caches the key accepts reports for some seconds after its end.
  @Test func `the withdrawal of a revoked key waits for the last report`() async throws {
    _ = try await apps.create(name: "Phone", at: now)
    let key = try #require(try await apps.keys().first)
    try await apps.revoke(keyID: key.id, at: now)
    let withdrawals = KeyWithdrawalStore(pool: pool)
    await #expect(throws: AppError.inFuture) {
      _ = try await withdrawals.ask(
        keyID: key.id, since: now, until: now + 6, because: "It leaked.", by: "Ada", at: now + 5)
    }
    let work = try await withdrawals.ask(
      keyID: key.id, since: now, until: nil, because: "It leaked.", by: "Ada", at: now + 5)
    #expect(work.until == now + 70)
    #expect(try await withdrawals.step(work.id, at: now + 69)?.doneAt == nil)
    #expect(try await withdrawals.step(work.id, at: now + 70)?.doneAt == now + 70)
  }

  @Test func `a list cannot use the name of an app`() async throws {
    _ = try await apps.create(name: "Phone", at: now)
    await #expect(throws: AppError.notList("Phone")) { _ = try await apps.source(named: "Phone", at: now) }
    #expect(try await apps.source(named: "List", at: now) == apps.source(named: "List", at: now))
  }

  @Test func `names have no control characters`() {
    #expect(App.isName("Ring 1") && App.isName("Телефон"))
    for name in ["", "a\nb", "a\u{1b}[2J", "a\u{2028}b", String(repeating: "a", count: 81)] {
      #expect(!App.isName(name))
    }
  }

  @Test func `the latest use of a key is kept`() async throws {
    _ = try await apps.create(name: "Phone", at: now)
    let key = try #require(try await apps.keys().first)
    #expect(key.lastUsedAt == nil)
    try await apps.note(uses: [(key.id, now + 9)])
    try await apps.note(uses: [(key.id, now + 5)])
    #expect(try await apps.key(key.id).lastUsedAt == now + 9)
  }

  /// Random reports by two keys, one of which is withdrawn, in interrupted and resumed steps.
  @Test(arguments: [1, 2, 3] as [UInt64], [false, true])
  func `all reports that came by a key in a period are withdrawn`(seed: UInt64, isCluster: Bool) async throws {
    let (app, _) = try await apps.create(name: "Phone", at: now)
    _ = try await apps.rotate(name: "Phone", at: now)
    let keys = try await apps.keys(of: "Phone").map(\.id).sorted()
    var generator = SeededGenerator(seed: seed)
    var model = ReportModel(receivedAt: now)
    let store = ReportStore(pool: pool)
    for batch in 0..<8 {
      let reports = (0..<60).map { _ in
        var report = Report.random(using: &generator, now: now)
        report.appID = app.id
        report.reporter = report.reporter ?? [UInt8](repeating: 8, count: 16)
        let chance = UInt8.random(in: 0...255, using: &generator)
        report.reportID = UUID(uuid: (chance, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(batch), chance))
        report.keyID = Bool.random(using: &generator) ? keys[0] : keys[1]
        return report
      }
      for (report, outcome) in zip(reports, try await store.accept(reports, receivedAt: now + Double(batch)))
      where outcome == .created {
        _ = model.accept(report)
        // Batches 2 to 5 arrived in the withdrawn period.
        let isMeant = report.keyID == keys[0] && (2...5).contains(batch)
        if isMeant { _ = model.withdraw(reportID: report.reportID, appID: app.id) }
      }
    }
    if isCluster { try await addWorkers() }
    let withdrawals = KeyWithdrawalStore(pool: pool)
    let trace = try await withdrawals.trace(keyID: keys[0], since: now + 2, until: now + 6, at: now + 10)
    let work = try await withdrawals.ask(
      keyID: keys[0], since: now + 2, until: now + 6, because: "It leaked.", by: "Ada", at: now + 10)
    let first = try #require(try await withdrawals.step(work.id, at: now + 11))
    #expect(first.withdrawn == min(100, trace.reports))
    for _ in 0..<500 where try await withdrawals.list(onlyOpen: true).isEmpty == false {
      _ = try await withdrawals.step(work.id, at: now + 12)
    }
    let done = try #require(try await withdrawals.list(onlyOpen: false).first)
    #expect(done.doneAt != nil)
    #expect(Int(done.withdrawn) == trace.reports)
    #expect(trace.reports > 50)
    #expect(try await withdrawals.trace(keyID: keys[0], since: now + 2, until: now + 6, at: now + 10).reports == 0)
    try await expectStandings(model, at: now)
  }
}
