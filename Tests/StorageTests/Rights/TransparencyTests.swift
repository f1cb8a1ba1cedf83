// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct TransparencyTests {
  /// 1 January 2026.
  private let start = Date(timeIntervalSince1970: 1_767_225_600)
  private var stores: Stores { Stores(pool: pool) }

  /// A year of events, and some before and after it: every total equals a recount, event by event.
  @Test func `the totals of a year equal a recount of the audit log`() async throws {
    let actions = [
      AuditAction.decisionBlock, .decisionIdentify, .decisionAllow, .decisionUndo, .decisionExpire, .appealUphold,
      .appealReject, .appealUndo, .rightErase, .rightSuppress, .protectionAdd,
    ]
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<400 {
      let action = actions.randomElement(using: &generator) ?? .decisionBlock
      let category = ["fraud", "robocall", "as_reported"].randomElement(using: &generator) ?? ""
      let actor = ["Ada", "app:Rules"].randomElement(using: &generator) ?? ""
      let event = Actor(name: actor, role: .moderator).did(
        action, to: "+493023125123",
        after: action.rawValue.hasPrefix("decision.") ? ["category": category, "case_category": "survey"] : nil)
      try await stores.auditLog.append(
        event, at: start + Double.random(in: -40...(405), using: &generator) * 86_400)
    }
    let year = start..<start + 365 * 86_400
    let report = try await stores.transparency.report(
      of: year, at: start + 400 * 86_400, bits: RemediationFigures.silence)
    let filter = AuditFilter(since: year.lowerBound, until: year.upperBound)
    let events = try await stores.auditLog.events(filter, limit: 1_000).map(\.event)
    #expect(events.count > 200)
    func count(_ action: String) -> Int { events.count { $0.action == action } }
    #expect(report.from == "2026-01-01" && report.to == "2026-12-31")
    for treatment in Decision.Treatment.allCases {
      for isByProgram in [false, true] {
        for category in ["fraud", "robocall", "survey"] {
          let expected = events.count { event in
            let own = event.after?["category"] == "as_reported" ? "survey" : event.after?["category"]
            return event.action == "decision.\(treatment.rawValue)" && own == category
              && event.actor.hasPrefix("app:") == isByProgram
          }
          let found = report.decisions.filter {
            $0.treatment == treatment && $0.automated == isByProgram && $0.category == category
          }
          #expect(found.map(\.count) == (expected == 0 ? [] : [expected]))
        }
      }
    }
    #expect(report.reversals == count("decision.undo") + count("appeal.uphold"))
    #expect(report.expired == count("decision.expire"))
    #expect((report.appeals.upheld, report.appeals.rejected) == (count("appeal.uphold"), count("appeal.reject")))
    #expect(report.appeals.undone == count("appeal.undo"))
    #expect(report.rights == ["right.erase": count("right.erase"), "right.suppress": count("right.suppress")])
  }

  @Test func `listings, appeals and sources of a period are counted`() async throws {
    let (first, second): (Int64, Int64) = (493_023_125_123, 493_023_125_124)
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [
          Listing(number: first, category: .fraud, cause: .reports),
          Listing(number: second, category: .survey, cause: .decision, treatment: .identify),
        ], serial: 1, at: start + 86_400, on: connection)
    }
    for (number, hours) in [(first, 2.0), (second, 6)] {
      let appeal = try Appeal(number: number, statement: "A shop.", filedAt: start + 3_600)
      try await stores.appeals.file(appeal)
      let answered = try appeal.answered(
        .rejected, by: "Ada", at: start + 3_600 * (1 + hours), answer: "The complaints go on.")
      #expect(try await !pool.run(SQL.answerAppeal(appeal: answered)).isEmpty)
    }
    let day = Int32(start.timeIntervalSince1970 / 86_400)
    for (place, installations, blocked) in [(1, 5, 9), (2, 4, 70), (35, 5, 700)] as [(Int32, Int64, Int64)] {
      try await pool.execute(
        """
        INSERT INTO remediation_sums VALUES (\(day + place), 'apps', '', '', \(installations), 900, \(blocked), 0, 0)
        """)
    }
    let report = try await stores.transparency.report(
      of: start..<start + 31 * 86_400, at: start + 40 * 86_400, bits: RemediationFigures.silence)
    #expect(report.stopped?.calls == 9 && report.stopped?.error == 50)
    #expect(
      report.listings == [
        .init(category: "fraud", treatment: .block, automated: true, count: 1),
        .init(category: "survey", treatment: .identify, automated: false, count: 1),
      ])
    #expect(report.appeals.filed == 2 && report.appeals.objections == 0 && report.appeals.medianSeconds == 4 * 3_600)
    #expect(report.sources.isEmpty && report.reviewed == 0 && report.agreement == nil)
    let before = try await stores.transparency.report(
      of: start - 86_400..<start, at: start, bits: RemediationFigures.silence)
    #expect(
      before.stopped == nil && before.listings.isEmpty && before.appeals.filed == 0
        && before.appeals.medianSeconds == nil)
  }

  @Test func `an objection needs a text that balances the interests`() throws {
    var appeal = try Appeal(number: 493_023_125_123, statement: "A shop.", filedAt: start)
    appeal.isObjection = true
    #expect(throws: RuleViolation(.balanceMissing, field: "answer")) {
      try appeal.answered(.upheld, by: "Ada", at: start, answer: nil)
    }
    #expect(try appeal.answered(.upheld, by: "Ada", at: start, answer: "Weighed.").state == .upheld)
  }
}
