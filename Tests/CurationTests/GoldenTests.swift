// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestData
import TestSupport
import Testing

@testable import Curation

/// The rules on many cases close to their limits. Other suites show that the rules are right; here no limit moves unnoticed.
@Suite struct GoldenTests {
  /// Complaints and denials, in groups whose sizes are close to the limits of the rules.
  private func votes(using generator: inout SeededGenerator) -> (votes: [ReporterVote], said: String) {
    var (votes, said): ([ReporterVote], [String]) = ([], [])
    func some(_ values: [Int]) -> Int { values.randomElement(using: &generator)! }
    func add(_ name: String, _ count: Int, _ change: (Int, inout ReporterVote) -> Void) {
      guard count > 0 else { return }
      said.append("\(count) \(name)")
      for index in 0..<count {
        let reporter = Reporter(Array("reporter \(votes.count)       ".utf8.prefix(16)))
        var vote = ReporterVote(
          reporter: reporter, isToxic: true, isNew: false, age: Int32(index % 9), network: UInt64(1_000 + votes.count))
        change(index, &vote)
        votes.append(vote)
      }
    }
    let (age, spread, app) = (Int32(some([0, 1, 28, 29, 30, 31])), some([1, 5, 6, 7, 8, 9]), Int32(some([1, 2])))
    let kinds = Set((0..<some([1, 2, 2, 3])).map { _ in some(Array(0..<9)) })
    for kind in kinds.sorted() {
      switch kind {
      case 0: add("long established", some([1, 2, 3, 4, 5, 12])) { $1.isLongEstablished = true }
      case 1: add("established within \(spread) days", some([2, 3, 4, 6, 12])) { $1.age = Int32($0 % spread) }
      case 2: add("new of app \(app)", some([1, 2, 3, 4, 5, 9, 10, 11])) { ($1.isNew, $1.appID) = (true, app) }
      case 3: add("of one network", some([2, 3, 4, 9])) { ($1.network, $1.isNew, $1.appID) = (7, $0 % 2 == 0, 3) }
      case 4: add("with one text", some([2, 3, 4, 8])) { ($1.text, $1.isNew) = (9, $0 % 3 == 0) }
      case 5: add("of one day", some([9, 10, 11, 20, 29, 30, 31, 40])) { ($1.age, $1.isLongEstablished) = (2, true) }
      case 6: add("aged \(age)", some([1, 2, 5])) { ($1.age, $1.isNew) = (age, $0 == 0) }
      case 7: add("attested", some([1, 2, 3, 4])) { ($1.isAttested, $1.isNew, $1.network) = (true, true, 7) }
      default:
        add("deny", some([2, 3, 4, 5, 6, 12])) { ($1.isToxic, $1.isAttested) = (false, $0 < 4) }
      }
    }
    return (votes, said.joined(separator: ", "))
  }

  /// A background in which a network, a comment or one day is usual, or almost.
  private func background(using generator: inout SeededGenerator) -> BrigadeBaseline {
    var background = BrigadeBaseline()
    let (numbers, usual) = (Int.random(in: 19...22, using: &generator), Int.random(in: 5...8, using: &generator))
    for number in 0..<numbers {
      let votes = (0..<11).map { index in
        ReporterVote(
          reporter: Reporter([UInt8(number), UInt8(index)]), isToxic: true, isNew: false,
          age: number < usual ? 10 : 8 + Int32(index), network: number < usual ? 7 : UInt64(100 * number + index),
          text: number < usual && index < 3 ? 9 : nil, isLongEstablished: true)
      }
      background.add(votes, confirmedAge: 0)
    }
    return background
  }

  @Test func `brigades`() throws {
    var generator = SeededGenerator(seed: 501)
    let backgrounds = (0..<12).map { _ in background(using: &generator) }
    var lines = backgrounds.enumerated().map { place, one in
      "background \(place): \(one.oneDay.count) of \(one.oneDay.numbers), \(one.share(network: 7)), \(one.isOneDayUsual), "
        + "\(one.isUsual(network: 7)), \(one.isUsual(text: 9))"
    }
    for place in 0..<700 {
      let (votes, said) = votes(using: &generator)
      var circumstances = BrigadeDetection.Circumstances(isCorroborated: place % 7 == 0)
      if place % 3 == 0 { circumstances.background = backgrounds[place % 12] }
      if place % 5 == 0 {
        var overlap = TargetOverlap()
        let reporters = votes.map(\.reporter)
        for number in 1...(place % 4 + 1) { overlap.add(Int64(number), Array(reporters.prefix(3 + place % 5))) }
        for (index, reporter) in reporters.enumerated() {
          for own in 0..<(place % 23) { overlap.add(Int64(1_000 + 100 * index + own), [reporter]) }
        }
        overlap.finish()
        circumstances.overlap = overlap
      }
      let judgement: String
      switch BrigadeDetection.evaluate(votes, in: circumstances) {
      case .clear: judgement = "clear"
      case .usual(let burst): judgement = "usual \(burst)"
      case .held(let finding):
        judgement =
          "\(finding.reason), \(finding.ceiling.map(\.rawValue) ?? "-"), app \(finding.appID ?? 0), "
          + "\(finding.reporters.count) remembered, \(finding.independent) of \(finding.complainers)"
      }
      let blocked = BrigadeDetection.evaluateBlocked(votes).finding == nil ? "" : "; split"
      lines.append("\(place): \(said): \(judgement)\(blocked)")
    }
    try Golden.expect(lines, in: "brigades.txt")
  }

  private func text(_ value: Double) -> String { String(format: "%.4g", value) }

  @Test func `scores and explanations`() throws {
    var generator = SeededGenerator(seed: 502)
    var lines: [String] = []
    for place in 0..<500 {
      let thresholds = try ThresholdSet.random(countries: ["DE"], using: &generator)
        .replacing(ceilingOf: 1, with: SourceCeiling.allCases[place % 4]).suspending(place % 9 == 0 ? [2] : [])
      let record = NumberRecord.random(number: 33_199_000_248, at: now, using: &generator)
      let score = Score(record, at: now)
      let overrides = OverrideState(
        country: place % 2 == 0 ? "DE" : nil, isProtected: place % 31 == 0, isDecided: place % 29 == 0,
        isHeld: place % 11 == 0, reportCeiling: SourceCeiling.allCases[3 - place % 8 % 4])
      let evaluation = score.evaluate(by: thresholds, in: overrides)
      func met(_ conditions: [ListingCondition]) -> String { conditions.map { $0.isMet ? "1" : "0" }.joined() }
      let limit = score.sourceLimit(by: thresholds, country: overrides.country)
      var facts = QueueFacts(
        score: score, evaluation: evaluation, isHeld: overrides.isHeld, appealedAt: place % 13 == 0 ? now : nil,
        isRangeProposed: place % 17 == 0, isPublished: record.isListed, level: place % 37 == 0 ? 1 : 0,
        since: now - Double(place) * 3_600)
      if place % 19 == 0 { (facts.isProtected, facts.recentReports) = (true, 9 + place % 2) }
      if place % 23 == 0 { facts.decidedAt = now - Double(place % 2) }
      let causes = QueueRule.causes(facts)
      var explanation = Explanation(number: record.number, time: now)
      (explanation.score, explanation.evaluation, explanation.sourceLimit) = (score, evaluation, limit)
      (explanation.firstReportedAt, explanation.lastReportedAt) = (now - 86_400 * Double(place), now)
      explanation.weights = .init(
        full: place % 2, partial: place % 3, new: place % 4, none: place % 5, attested: place % 6)
      if overrides.isHeld {
        explanation.hold = .init(
          reason: .split(complaints: 5, legitimate: 5), heldAt: now, ceiling: place % 2 == 0 ? .identify : nil,
          labeledAt: place % 4 == 0 ? now : nil)
      }
      if place % 3 == 0 { explanation.listing = .init(category: .fraud, serial: 1, listedAt: now) }
      (explanation.openAppeals, explanation.isVictim) = (place % 5 == 0 ? 1 : 0, place % 6 == 0)
      let ofLists = evaluation.conditions.isEmpty ? "" : evaluation.conditions.map { "\($0.source ?? 0)" }.joined()
      lines.append(
        "\(place): \(evaluation.verdict), \(evaluation.category?.slug ?? "-"), \(evaluation.ceiling), "
          + "\(evaluation.isByReports) \(evaluation.isIdentifiedByReports) \(evaluation.isCorroborated) "
          + "\(evaluation.needsReview), \(met(evaluation.conditions)) \(met(evaluation.identifyConditions)) \(ofLists), "
          + "heat \(text(score.heat)) \(text(evaluation.reviewHeat)), confidence \(text(score.confidence)), "
          + "limit \(limit.map { "\($0.appID) \($0.ceiling) \($0.isSuspended)" } ?? "-"), "
          + "queue \(causes.rawValue) \(Urgency.of(facts, causes: causes) / 1_000), "
          + "\(explanation.mayBlock) \(explanation.lines.map(\.code.stringValue).joined(separator: " ")), "
          + "coarse \(explanation.coarse.lines == explanation.lines) \(text(explanation.coarse.score?.heat ?? 0)) "
          + "\(explanation.coarse.weights.full) \(met(explanation.coarse.evaluation?.conditions ?? []))")
    }
    try Golden.expect(lines, in: "scores.txt")
  }

  @Test func `ranges`() throws {
    var generator = SeededGenerator(seed: 503)
    var lines: [String] = []
    for _ in 0..<60 {
      let rules = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        let first = Int64.random(in: 100...140, using: &generator)
        let range = RangePattern(stored: "", blocks: [first...first + Int64.random(in: 0...20, using: &generator)])
        return RangeRule(
          stored: range, treatment: Decision.Treatment.allCases.randomElement(using: &generator)!, category: .fraud,
          state: .approved, proposedAt: now + Double(Int.random(in: 0...2, using: &generator)))
      }
      var state = CurationState(
        held: [Int64.random(in: 100...140, using: &generator)],
        victims: [Int64.random(in: 100...140, using: &generator)],
        rules: rules)
      state.reportCeilings = [120: .identify, 121: .block, 130: .nothing]
      state.decisions.append(StandingDecision(number: 110, treatment: .block, decisionID: UUID(), decidedAt: now))
      state.decisions.append(
        StandingDecision(number: 125, treatment: .identify, label: "A", decisionID: UUID(), decidedAt: now))
      let disjoint = RangeMerge.disjoint(rules).map { "\($0.numbers) \($0.rule)" }
      let ruled = state.ruledRanges().map {
        "\($0.numbers.lowerBound)-\($0.numbers.upperBound) \($0.treatment) \($0.rule)"
      }
      var merge = CurationMerge(state)
      let reported = stride(from: Int64(101), to: 150, by: 4).map {
        ListedNumber(number: $0, category: .robocall, treatment: $0 % 8 == 1 ? .identify : .block, heat: 2, evidence: 3)
      }
      let merged = (merge.take(Array(reported.prefix(5))) + merge.take(Array(reported.dropFirst(5))) + merge.finish())
        .map {
          "\($0.number) \($0.category.slug) \($0.treatment) \($0.cause) \($0.heat)"
        }
      let found = (99...145).compactMap { state.rule(for: $0).map { "\($0.treatment)" } ?? "-" }.joined(separator: " ")
      lines.append("\(disjoint); \(ruled); \(merged); \(found)")
    }
    try Golden.expect(lines, in: "ranges.txt")
  }

  @Test func `figures around limits`() throws {
    var lines: [String] = []
    for size in RangeDetection.sizes {
      for members in [3, 4, 5, 11, 12, 13, 20] {
        for heat in [5.9, 6, 7.5, 17.9, 18, 29.9, 30, 31] {
          let row = [(0.5, 0), (0.5, members - 1), (0.5, members), (0.51, 0)].map { share, defended in
            RangeDetection.proposes(
              .init(
                range: RangePattern(around: 33_199_000_248, size: size), members: members, heat: heat,
                greatest: heat * share, defended: defended))
          }
          lines.append("range of \(size), \(members) members, heat \(heat): \(row)")
        }
      }
    }
    for judged in 0...8 {
      for agreed in 0...judged {
        for (brigades, established) in [(0, nil), (0, -1.0), (0, 0), (0, 1), (1, 0)] as [(Int, Double?)] {
          let record = ReporterRecord(
            reporter: Reporter([1]), firstReceivedAt: now, numbers: 1, establishedAt: established.map { now + $0 },
            judged: judged, agreed: agreed, brigades: brigades)
          let weight = ReporterWeight.weight(of: record, at: now)
          lines.append("reporter \(agreed) of \(judged), \(brigades), \(established ?? 9): \(text(weight))")
        }
      }
    }
    for confirmed in 0...12 {
      for wrong in 0...12 {
        let precision = SourcePrecision(confirmed: confirmed, wrong: wrong)
        lines.append("source \(confirmed) and \(wrong): \(text(precision.share ?? -1)) \(precision.isTooLow)")
      }
    }
    for count in [0, 1, 9, 10, 11, 19, 20, 99, 100, 101, 999, 1_000, 1_999] {
      lines.append(
        "coarse \(count): \(Explanation.coarseCount(count)), \(text(Explanation.coarseWeight(Double(count) / 7)))")
      lines.append(
        "coarse \(count): \(text(Explanation.coarseConfidence(evidence: Double(count), legitimate: Double(count % 7))))"
      )
    }
    for days in [-1, 0, 0.5, 1] as [Double] {
      lines.append("time \(days): \(Explanation.coarseTime(now, published: now + days * 86_400).timeIntervalSince1970)")
    }
    let seen = CaseVersion("none.quiet.0.0.0.8")
    for text in [
      "none.quiet.0.0.0.14", "none.quiet.0.0.0.15", "none.held.1.1.1.8", "none.quiet.0.0.0", "no.quiet.0.0.0.8",
    ] {
      lines.append("case \(text): \(CaseVersion(text).map { seen?.changes(to: $0) ?? [] } ?? [])")
    }
    let policy = ReviewPolicy.standard
    for treatment in Decision.Treatment.allCases {
      for reporters in [20, 21, 100, 101] {
        let rule = AllowRule(isHeld: false, isListed: false, isAppealed: false, reporters: reporters)
        lines.append("reach \(treatment) \(reporters): \(policy.hasReach(treatment, rule))")
      }
    }
    try Golden.expect(lines, in: "limits.txt")
  }

  @Test func `places for filings`() throws {
    var generator = SeededGenerator(seed: 504)
    var lines: [String] = []
    for count in [48, 49, 50, 51] {
      for _ in 0..<25 {
        func origin() -> FilingOrigin {
          let (network, area) = (
            UInt8.random(in: 0...20, using: &generator), UInt8.random(in: 0...3, using: &generator)
          )
          let kind = Int.random(in: 0...9, using: &generator)
          return FilingOrigin(
            network: kind == 0 ? nil : [kind < 3 ? 1 : network], area: kind == 1 ? nil : [kind < 4 ? 1 : area])
        }
        let held = (0..<count).map { _ in origin() }
        lines.append("\(count): \(FilingPlaces.answer(to: origin(), among: held))")
      }
    }
    try Golden.expect(lines, in: "filings.txt")
  }

  @Test func `statements of reasons`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
    var lines: [String] = []
    for place in 0..<72 {
      var explanation = Explanation(number: 33_199_000_248, time: now)
      if place % 8 > 0 {
        explanation.listing = .init(
          category: .fraud, serial: 1, listedAt: now, treatment: place % 3 == 0 ? .identify : .block,
          ground: [.reports, .decision, .range][place % 3])
      }
      if place % 4 > 1 {
        explanation.stated = .init(
          id: id, ground: [.reports, .decision, .range][place % 3], isByProgram: place % 5 == 0, reports: 12,
          reporters: 9,
          days: 4, sources: place % 7 == 0 ? ["A", "B"] : [], firstReportedAt: now - 86_400, lastReportedAt: nil,
          thresholds: 3)
      }
      if place % 6 == 5 {
        explanation.decision = StandingDecision(
          number: 33_199_000_248, treatment: Decision.Treatment.allCases[place % 3], decisionID: id, decidedAt: now)
        (explanation.decisionReason, explanation.isDecidedByProgram) = ("Known.", place % 4 == 1)
      }
      if place % 9 == 1 {
        explanation.range = RangeRule(
          stored: RangePattern(around: 33_199_000_248, size: 100), category: .fraud, reason: "A block.",
          state: .approved,
          proposedAt: now)
      }
      if place % 11 == 3 { explanation.protection = .shortNumber }
      explanation.packs = [[], [.init(name: "a", region: nil)], [.init(name: "b", region: "DE")]][place % 3]
      if place % 5 == 2 { explanation.packs.append(.init(name: "c", region: "AT")) }
      explanation.answerTime = [nil, 0, 3_599, 3_600, 3_601, 90_000][place % 6]
      guard let statement = explanation.statement else {
        lines.append("\(place): none")
        continue
      }
      let said = statement.lines.map { "\($0.code) \($0.values.values.map { "\($0)" }.sorted())" }
      lines.append(
        "\(place): \(said.joined(separator: ", ")); \(String(decoding: try encoder.encode(statement), as: UTF8.self))")
    }
    try Golden.expect(lines, in: "statements.txt")
  }
}
