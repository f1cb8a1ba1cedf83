// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Curation
@testable import HTTPServer

/// The messages of explanations, holds, protection and rule violations.
@Suite struct ExplanationMessageTests {
  private static let time = Date(timeIntervalSince1970: 1_795_000_000)
  private static let violations: [RuleViolation] =
    RuleViolation.Code.allCases.map { code in
      [.length, .allowNeedsModerator, .allowNeedsReason, .tooManyRows].contains(code)
        ? RuleViolation(code, field: "label", most: 100) : RuleViolation(code, field: "label")
    }

  /// All errors of threshold checks; errors of one field get the name of the threshold.
  private static var problems: [ThresholdProblem] {
    let found: [ThresholdProblem] =
      [.notToxic, .notACountry, .notAList, .aboveEnter, .aboveEnterHeat].map { .field($0, "enter.heat") } + [
        .outOfRange("enter.days", 0...64), .notPositive("enter.heat", most: 1_000_000), .twice("fraud"),
        .noGeneralThreshold(.fraud), .noRuleForEveryList,
      ]
    return found.map { $0.field.isEmpty ? $0 : $0.of("fraud") }
  }

  private static func decision(_ treatment: Decision.Treatment, _ label: String?) -> StandingDecision {
    StandingDecision(
      number: 1, treatment: treatment, label: label, category: nil, decisionID: UUID(), decidedAt: time)
  }

  /// The line of a number that needs review, of whose six conditions the last ones are missed.
  private static func needsReview(missing: Int) -> ExplanationLine {
    let kinds: [ListingCondition.Kind] = [.heat, .evidence, .confidence, .reporters, .networks, .days]
    return .needsReview(
      kinds.enumerated().map { ListingCondition(kind: $1, have: $0 < 6 - missing ? 2 : 1, need: 2) }
        + [ListingCondition(kind: .listDays, source: 1, have: 0, need: 2)])
  }

  /// A line of every code.
  private static var lines: [ExplanationLine] {
    let range = RangeRule(
      stored: RangePattern(around: 33_199_000, size: 10), category: .fraud, state: .approved, proposedAt: Date())
    let limits = ThresholdLimits(heat: 3, evidence: 2, confidence: 0.5, reporters: 3, networks: 2, days: 2)
    let everywhere = Threshold(category: .fraud, enter: limits, leave: limits, reviewHeat: 1)
    let threshold = Threshold(category: .fraud, country: "FR", enter: limits, leave: limits, reviewHeat: 1)
    let ceilings = [SourceCeiling.nothing, .review, .identify].map {
      ExplanationLine.sourceLimit(SourceLimit(appID: 7, ceiling: $0, isSuspended: false), name: "A list")
    }
    var lines =
      ceilings + CodedSamples.protectionReasons.map { ExplanationLine.protected($0) }
      + CodedSamples.holdReasons.map { ExplanationLine.hold($0) }
    let share = BrigadeBaseline.Share(count: 40, numbers: 64)
    lines += UsualBurst.Code.allCases.map { code in
      .usual(Explanation.Usual(burst: UsualBurst(code, alike: 27, reporters: 28, share: share), judgedAt: time))
    }
    lines += [
      .decided(decision(.block, "A name"), isRevoked: false, fallback: .fraud),
      .decided(decision(.block, nil), isRevoked: false, fallback: .fraud),
      .decided(decision(.allow, nil), isRevoked: true, fallback: .fraud),
      .decided(decision(.identify, "A name"), isRevoked: false, fallback: .fraud),
      .decided(decision(.allow, nil), isRevoked: false, fallback: .fraud),
      .held(since: time), .listed(as: .fraud), .candidate(for: .fraud), .listed(by: range), needsReview(missing: 1),
      .quiet, .noArrivals,
      .sourceLimit(SourceLimit(appID: 7, ceiling: .nothing, isSuspended: true), name: "A list"),
      .sourceLimit(SourceLimit(appID: 7, ceiling: .identify, isSuspended: false, isOfShared: true), name: "A list"),
      .sourceLimit(SourceLimit(appID: 7, ceiling: .identify, isSuspended: false, isOfNamed: true), name: "A list"),
      .failed(VerifiedCalls(failed: 3)), .failed(VerifiedCalls(failed: 1)),
      .published(nil), .published(Explanation.Listing(category: .fraud, serial: 1_234, listedAt: time)),
      .published(Explanation.Listing(category: .fraud, serial: 7, listedAt: time, treatment: .identify)),
      .identifiedByReports(7), .labelWaits, .neededToIdentify([]), .corroborated,
      .decisionReason("It is one."), .noReports, .reports(1_024, first: time, last: time), .legitimateReports(1),
      .reports(24, of: .fraud), .weight(heat: 3, evidence: 2.5, legitimate: 0.125),
      .reporters(Explanation.Weights(full: 1, partial: 22, none: 1)), .reporters(Explanation.Weights(full: 24)),
      .reporters(Explanation.Weights(partial: 24, new: 24)), .spoofed, .openAppeals(2), .approvedRange(range),
      .rangeReason("A regulator."),
      .needed(by: everywhere, isListed: false), .needed(by: threshold, isListed: false),
      .needed(by: everywhere, isListed: true), .needed(by: threshold, isListed: true),
    ]
    lines += ListingCondition.Kind.allCases.map { kind in
      let isOfList = kind == .listComplaints || kind == .listDays
      return .condition(ListingCondition(kind: kind, have: 3, need: 2), list: isOfList ? "A list" : nil)
    }
    return lines
  }

  private func check<Data: CodedMessage>(_ area: String, _ all: [Data], _ texts: Localizer) {
    #expect(Set(all.map(\.code)) == Set(Data.Code.allCases), "\(Data.self)")
    for data in all {
      let message = texts.message(area, data)
      #expect(message != "\(area).\(data.code.name)" && !message.isEmpty, "\(texts.language) \(data.code)")
      // A placeholder without a value is not replaced.
      #expect(!message.contains("{"), "\(texts.language) \(message)")
      let entry = texts.entries["\(area).\(data.code.name)"]
      guard case .text(let text) = entry else { continue }
      for name in data.values.keys where name != "field" && !text.contains("{\(name)}") {
        Issue.record("\(texts.language) \(data.code) does not show \(name)")
      }
    }
  }

  @Test(arguments: Language.allCases) func `every code has a message`(_ language: Language) throws {
    let texts = try MessageCatalog(folder: Checkout.texts)[language]
    check("explanation", Self.lines, texts)
    check("protection", CodedSamples.protectionReasons, texts)
    check("rule", Self.violations, texts)
    check("threshold", Self.problems, texts)
    let values: [RangeViolation.Code: [String: CodedValue]] = [
      .noSuchLength: ["length": 10, "lengths": "11"], .tooMany: ["numbers": 9, "maximum": 8, "lengths": "7, 8"],
      .shortNumber: ["number": "+49112"],
    ]
    let ranges = RangeViolation.Code.allCases.map { RangeViolation($0, pattern: "+33199*", values[$0] ?? [:]) }
    check("ranges.rule", ranges, texts)
    for error in ProtectedPatternError.allCases {
      #expect(texts.message(error) != "protected.pattern.\(error.rawValue)", "\(language)")
    }
    #expect(Set(CodedSamples.holdReasons.map(\.code)) == Set(HoldReason.Code.allCases))
    for category in ReportCategory.allCases {
      #expect(texts.find("category.\(category.slug)") != nil, "\(language) \(category)")
    }
  }

  @Test func `messages have the figures and plurals of their language`() throws {
    let catalog = try MessageCatalog(folder: Checkout.texts)
    let (english, russian) = (catalog[.english], catalog[.russian])
    let weights: (Int) -> ExplanationLine = { .reporters(Explanation.Weights(partial: $0, new: $0)) }
    #expect(english.message(weights(24)) == "All 24 reporters are new (half weight).")
    #expect(english.message(weights(1)) == "1 reporter, who is new (half weight).")
    #expect(russian.message(weights(22)) == "Все 22 заявителя новые (половинный вес).")
    let mixed = ExplanationLine.reporters(Explanation.Weights(full: 20, partial: 1, new: 1, none: 0))
    #expect(
      english.message(mixed)
        == "21 reporters: 20 with full weight, 1 with reduced weight (new or often wrong), 0 with no weight.")
    #expect(
      russian.message(mixed)
        == "21 заявитель: 20 с полным весом, 1 с уменьшенным (новые или часто неправые), 0 без веса.")
    #expect(
      english.message(Self.needsReview(missing: 1)) == "Needs review: 1 of 6 conditions not met (days).")
    #expect(
      russian.message(Self.needsReview(missing: 2)) == "Нужна проверка: не выполнено условий 2 из 6 (сети, дни).")
    let reports = ExplanationLine.reports(1_024, first: Self.time, last: Self.time)
    #expect(
      english.message(reports)
        == "1,024 reports, from 18\u{A0}November\u{A0}2026 to 18\u{A0}November\u{A0}2026.")
    #expect(
      russian.message(reports)
        == "1\u{A0}024 сообщения: первое 18\u{A0}ноября\u{A0}2026, последнее 18\u{A0}ноября\u{A0}2026.")
    #expect(
      russian.message(.oneDay(peak: 14, reporters: 22, others: 8))
        == "Пожаловались 22 заявителя: в один день 14, в другие дни 8.")
    let heat = ExplanationLine.condition(ListingCondition(kind: .heat, have: 1, need: 2.5), list: nil)
    #expect(english.message(heat) == "Heat: 1.00, needed 2.50: not met.")
    #expect(russian.message(heat) == "Жар: 1,00, нужно 2,50: не выполнено.")
    #expect(english.message(.listed(as: .oneRing)) == "Listed as “One-ring scam”.")
  }

  @Test func `text that operators wrote is unchanged`() throws {
    let texts = try MessageCatalog(folder: Checkout.texts)[.english]
    #expect(texts.message(ProtectionReason.protectedNumber(reason: "{pattern} met")) == "{pattern} met")
    #expect(texts.message(ExplanationLine.decisionReason("result.met")) == "Reason of the decision: result.met")
    #expect(texts.day("soon") == "soon" && texts.day("2026-13-01") == "2026-13-01")
  }
}
