// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import TestSupport
import Testing

@Suite struct StatementLineTests {
  private static let time = Date(timeIntervalSince1970: 1_795_000_000)

  /// Explanations whose statements have every sentence.
  private static var explanations: [Explanation] {
    var listed = Explanation(number: 493_023_125_123, time: time)
    listed.listing = .init(category: .fraud, serial: 1, listedAt: time)
    listed.stated = .init(
      id: UUID(), reports: 12, reporters: 9, days: 4, sources: ["A list"], firstReportedAt: time, lastReportedAt: time,
      thresholds: 1)
    listed.packs = [.init(name: "toxic", region: nil)]
    listed.answerTime = 7_200
    var ofRange = listed
    ofRange.stated?.ground = .range
    ofRange.range = RangeRule(
      stored: RangePattern(around: 493_023_125_123, size: 100), category: .fraud, state: .approved, proposedAt: time)
    ofRange.packs = [.init(name: "toxic-DE", region: "DE")]
    ofRange.answerTime = nil
    let decided = [Decision.Treatment.block, .identify, .allow].map { treatment in
      var explanation = Explanation(number: 493_023_125_123, time: time)
      explanation.decision = StandingDecision(
        number: explanation.number, treatment: treatment, decisionID: UUID(), decidedAt: time)
      explanation.decisionReason = "It is one."
      explanation.isDecidedByProgram = treatment == .block
      return explanation
    }
    var named = listed
    named.listing?.treatment = .identify
    return [listed, ofRange, named] + decided
  }

  @Test func `every sentence of a statement has a message`() throws {
    let catalog = try MessageCatalog(folder: Checkout.texts)
    let lines = try Self.explanations.flatMap { try #require($0.statement).lines }
    #expect(Set(lines.map(\.code)) == Set(StatementLine.Code.allCases))
    for language in Language.allCases {
      for line in lines {
        let text = catalog[language].message(line)
        #expect(!text.contains("{") && text != "statement.\(line.code.name)", "\(language) \(line)")
      }
      let states = ["out", "identify", "block"].flatMap { ["statement.now.\($0)", "statement.ahead.\($0)"] }
      let known = Set(StatementLine.Code.allCases.map { "statement.\($0.name)" } + states)
      #expect(Set(catalog[language].entries.keys.filter { $0.hasPrefix("statement.") }) == known)
    }
  }

  @Test func `a decision before its publication has no figures of the listing before it`() throws {
    var explanation = Self.explanations[0]
    explanation.decision = StandingDecision(
      number: explanation.number, treatment: .identify, decisionID: UUID(), decidedAt: Self.time)
    #expect(try #require(explanation.statement).facts == nil)
    explanation.stated?.ground = .decision
    #expect(try #require(explanation.statement).facts == explanation.stated)
  }

  @Test func `a decision that waits for its publication is one sentence with what is published`() throws {
    let english = try MessageCatalog(folder: Checkout.texts)[.english]
    for published in [nil, ListedNumber.Treatment.identify, .block] {
      for decided in [nil] + Decision.Treatment.allCases.map(Optional.some) {
        var explanation = Self.explanations[0]
        explanation.listing = published.map {
          .init(category: .fraud, serial: 1, listedAt: Self.time, treatment: $0)
        }
        explanation.decision = decided.map {
          StandingDecision(number: explanation.number, treatment: $0, decisionID: UUID(), decidedAt: Self.time)
        }
        let isSame = explanation.shown == explanation.ahead
        let said = explanation.statement.map { english.message($0.lines[0]) } ?? ""
        #expect(said.hasPrefix("Today: ") == !isSame, "\(said)")
        #expect(said.contains("may block the number.") == (isSame && published == .block), "\(said)")
      }
    }
  }

  @Test func `a range or a decision that has begun or ended since the publication is told`() throws {
    let (number, time) = (Self.explanations[0].number, Self.time)
    let rule = try RangeRule(
      RangePattern(around: number, size: 100), treatment: .block, reason: "x", proposedBy: "Ada", at: time)
    var label = rule
    label.treatment = .identify
    // The listing, its ground, the rule in force, whether the newest publication knew it, whether the number is held, and what
    // the next publication does.
    let rows: [(ListedNumber.Treatment?, StatementOfReasons.Ground, RangeRule?, Bool, Bool, Shown, Verdict)] = [
      (.block, .reports, nil, false, false, .block, .listed), (.block, .decision, nil, false, false, .out, .listed),
      (.block, .range, nil, false, false, .out, .listed), (.block, .range, rule, true, false, .block, .listed),
      (.block, .range, label, false, false, .identify, .listed),
      (.block, .decision, label, true, false, .identify, .listed),
      (nil, .reports, nil, false, false, .out, .quiet), (nil, .reports, rule, false, false, .block, .candidate),
      (nil, .reports, label, false, false, .identify, .candidate), (nil, .reports, rule, false, true, .out, .held),
      // A recipe had no room for it.
      (nil, .reports, rule, true, false, .out, .quiet), (.identify, .reports, rule, true, false, .identify, .listed),
    ]
    for hasFigures in [true, false] {
      for (treatment, ground, range, isOld, isHeld, ahead, heading) in rows {
        var explanation = Self.explanations[0]
        explanation.listing = treatment.map {
          .init(category: .fraud, serial: 1, listedAt: time, treatment: $0, ground: ground)
        }
        explanation.publishedAt = isOld ? time + 1 : time - 1
        // A number that only a range lists has no figures.
        if treatment == nil || !hasFigures { explanation.stated = nil }
        explanation.stated?.ground = ground
        explanation.range = range
        if isHeld { explanation.hold = .init(reason: .unassigned(version: "9.0.43"), heldAt: time) }
        let row = "\(treatment.map { "\($0)" } ?? "not listed") \(ground) \(range?.treatment.rawValue ?? "") \(isOld)"
        #expect(explanation.ahead == ahead && explanation.heading == heading, "\(row)")
        let statement = explanation.statement
        #expect((statement == nil) == (treatment == nil && ahead == .out), "\(row)")
        #expect(statement?.ground == (treatment == nil ? statement.map { _ in .range } : ground), "\(row)")
      }
    }
  }

  @Test func `a protected number has no statement`() {
    var explanation = Self.explanations[0]
    explanation.protection = .protectedNumber(reason: "A bank")
    #expect(explanation.statement == nil)
  }
}
