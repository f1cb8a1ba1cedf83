// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Curation

/// Values that settings, files and rules may have, on both sides of each limit.
@Suite struct ValueLimitTests {
  private let threshold = Threshold(
    category: .fraud, country: "DE",
    enter: ThresholdLimits(heat: 2, evidence: 2, confidence: 0.5, reporters: 3, networks: 3, days: 3),
    leave: ThresholdLimits(heat: 1, evidence: 1, confidence: 0.2, reporters: 2, networks: 2, days: 2), reviewHeat: 1)

  private func said(_ problems: [ThresholdProblem]) -> String {
    problems.map { "\($0.field) \($0.code.stringValue)" }.joined(separator: ", ")
  }

  @Test func `thresholds`() throws {
    var lines: [String] = []
    for bar in [\Threshold.enter, \Threshold.leave] {
      for (name, field, values) in [
        ("heat", \ThresholdLimits.heat, [-1, 0, 0.001, 2, 2.001, 1_000_000, 1_000_000.5]),
        ("evidence", \.evidence, [-0.001, 0, 2, 2.001, 1_000_000, 1_000_000.5]),
        ("confidence", \.confidence, [-0.001, 0, 0.5, 0.501, 1, 1.001]),
      ] as [(String, WritableKeyPath<ThresholdLimits, Double>, [Double])] {
        for value in values {
          var changed = threshold
          changed[keyPath: bar][keyPath: field] = value
          lines.append("\(name) \(value): \(said(changed.problems))")
        }
      }
      for (name, field) in [("reporters", \ThresholdLimits.reporters), ("networks", \.networks), ("days", \.days)] {
        for value in [-1, 0, 1, 2, 3, 4, 64, 65, 1_000_000, 1_000_001] {
          var changed = threshold
          changed[keyPath: bar][keyPath: field] = value
          lines.append("\(name) \(value): \(said(changed.problems))")
        }
      }
    }
    for heat in [0, 0.001, 2, 2.001] {
      var changed = threshold
      changed.reviewHeat = heat
      lines.append("review \(heat): \(said(changed.problems))")
    }
    for country in [nil, "", "D", "DEU", "de", "AZ", "A@", "Z["] {
      var changed = threshold
      changed.country = country
      lines.append("country \(country ?? "-"): \(said(changed.problems)) \(changed.name)")
    }
    for value in [-1, 0, 1, 2, 3, 4, 10, 11, 64, 65, 1_000_000, 1_000_001] {
      let bar = SourceRule.Bar(complaints: 3, days: 3)
      for rule in [
        SourceRule(appID: Int32(value), weight: 1, enter: bar, leave: bar),
        SourceRule(appID: 1, weight: Double(value), enter: bar, leave: bar),
        SourceRule(appID: 1, weight: 1, enter: .init(complaints: value, days: 3), leave: bar),
        SourceRule(appID: 1, weight: 1, enter: .init(complaints: 3, days: value), leave: bar),
        SourceRule(appID: 1, weight: 1, enter: bar, leave: .init(complaints: value, days: 3)),
        SourceRule(appID: 1, weight: 1, enter: bar, leave: .init(complaints: 3, days: value)),
        SourceRule(appID: 1, weight: 1, enter: bar, leave: bar, blockComplaints: value),
      ] {
        lines.append("source \(value): \(said(rule.problems))")
      }
      for field in [\IdentifyRule.Limits.reporters, \.networks, \.days] {
        for limits in [\IdentifyRule.alone, \IdentifyRule.corroborated] {
          var rule = IdentifyRule()
          rule[keyPath: limits][keyPath: field] = value
          lines.append("identify \(value): \(said(rule.problems))")
        }
      }
      var rule = IdentifyRule(labels: value, labelShare: Double(value) / 2)
      rule.heatShare = Double(value)
      lines.append("identify \(value): \(said(rule.problems)), \(rule.dailyLabels(reporters: 3))")
      let attestation = AttestationRule(hardware: Double(value), software: Double(value) / 10, unattested: 0.5)
      lines.append("attestation \(value): \(said(attestation.problems))")
    }
    for isListed in [false, true] {
      for isCorroborated in [false, true] {
        let limits = IdentifyRule().limits(threshold, listed: isListed, isCorroborated: isCorroborated)
        lines.append("limits \(isListed) \(isCorroborated): \(limits)")
      }
    }
    try Golden.expect(lines, in: "thresholds.txt")
  }

  @Test func `a set of thresholds has each once, and one for every list`() throws {
    var generator = SeededGenerator(seed: 505)
    let set = try ThresholdSet.random(countries: [], using: &generator)
    func problem(_ thresholds: [Threshold], _ sources: [SourceRule], _ attestation: [AttestationRule] = []) -> String? {
      do throws(ThresholdProblem) {
        _ = try ThresholdSet(thresholds: thresholds, sources: sources, attestation: attestation)
        return nil
      } catch {
        return error.code.stringValue
      }
    }
    var german = set.thresholds[0]
    german.country = "DE"
    #expect(problem(set.thresholds + [german], set.sources) == nil)
    #expect(problem(set.thresholds + [german, german], set.sources) == "twice")
    #expect(problem(set.thresholds + [set.thresholds[0]], set.sources) == "twice")
    #expect(problem(Array(set.thresholds.dropFirst()), set.sources) == "noGeneralThreshold")
    #expect(problem(set.thresholds, set.sources + [set.sources[0]]) == "twice")
    #expect(problem(set.thresholds, set.sources.filter { $0.appID != 0 }) == "noRuleForEveryList")
    #expect(problem(set.thresholds, set.sources, [AttestationRule(), AttestationRule(appID: 1)]) == nil)
    #expect(problem(set.thresholds, set.sources, [AttestationRule(), AttestationRule()]) == "twice")
    #expect(problem(set.thresholds, set.sources, [AttestationRule(hardware: 2)]) == "outOfRange")
    let least = try #require(set.thresholds.map(\.leave.heat).min())
    #expect(set.floor.heat == least && set.floor.reported == least * 0.2 && set.floor.reporters == 2)
    #expect(set.lowestReviewHeat == set.thresholds.map(\.reviewHeat).min())
    #expect(set.fewestReporters == max(1, min(2, set.thresholds.map(\.enter.reporters).min() ?? 2)))
  }

  @Test func `texts of apps, labels, rows and patterns`() throws {
    var lines: [String] = []
    func name(_ count: Int) -> String { String(repeating: "a", count: count) }
    let hex = String(repeating: "0f", count: 32)
    for text in [
      "\(name(1))=\(hex)", "\(name(255))=\(hex)", "\(name(256))=\(hex)", "=\(hex)", "a=\(hex)0", "a=\(hex.dropLast())",
      "a=\(hex.uppercased())", "a=\(hex.dropLast())g", "a=\(hex.dropLast())/", "a=\(hex.dropLast()):", "a",
      "a=b=\(hex)",
    ] {
      var policy = AttestationPolicy()
      lines.append(
        "android \(text.count) \(text.suffix(3)): \(policy.add(android: text)) \(policy.androidPackages.count)")
    }
    for text in [
      "ABCDE12345.a", "ABCDE12345.", "ABCDE1234.a", "ABCDE123456.a", "ABCDe12345.a", "ABCDE12345", "AZ09AZ09AZ.a.b",
      "ABCDE1234/.a", "ABCDE1234:.a", "ABCDE1234@.a", "ABCDE1234[.a", "ABCDE12345.\(name(155))",
      "ABCDE12345.\(name(156))",
    ] { lines.append("iOS \(text.prefix(20)) \(text.count): \(AttestationPolicy.isAppID(text))") }
    for value in [
      -1, 0, 0.4, 0.5, 1, 1.5, 9, 10, 99, 99.5, 100, 101, 104, 105, 994, 995, 1_049, 1_050, 1e15, 2e15, .infinity,
    ] {
      lines.append("figure \(value): \(LabelTemplate.figure(value))")
    }
    for text in [
      "", name(200), name(201), "a\u{7}", "{", "}", "{x}", "{category", "a {category} b {name}", "{heat}{evidence}",
      "{name} - {category}",
    ] {
      let template = Result { () throws(LabelTemplate.Problem) in try LabelTemplate(text) }
      guard case .success(let template) = template else {
        lines.append("label \(text.prefix(30)): \(template)")
        continue
      }
      let filled = [["name": "N", "category": "C", "heat": "1"], ["category": "C"], [:]].map { values in
        template.filled { values[$0.rawValue] }
      }
      lines.append("label \(text.prefix(30)): \(template.fitsDirectory) \(template.isByCategory) \(filled)")
    }
    for shards in [Shards.one, .hashed(3), .from([1, 33, 4_930])] {
      for number in [1, 9, 32_999, 33_000, 33_199_000_248, 34, 49_299, 49_300, 999_999_999_999_999] as [Int64] {
        lines.append("shard \(shards.count) \(number): \(shards.index(of: number)) \(shards.part(from: number))")
      }
    }
    for text in [
      "+1234", "+123", "+123x", "+1234x", "+12345xx6", "+12345xxx6", "+1234567*", "+1234*5", "0123", "+1 (23) 4-5.6/7",
      "+123456789012345", "+1234567890123456", "+12345678901234*", "+123456789012345*", "+1234a", "1+234", "+123456x",
      "+1234567x",
      String(repeating: " ", count: 60) + "1234", String(repeating: " ", count: 61) + "1234",
    ] {
      let pattern = Result { () throws(ProtectedPatternError) in try ProtectedPattern(text) }
      lines.append(
        "pattern \(text.suffix(20)): \(pattern.map { "\($0.text) \($0.isNarrow) \($0.blocks.prefix(3)) \($0.blocks.count)" })"
      )
    }
    for (former, rows, count) in [
      (0, 100, 50), (10, 1_000, 9), (10, 1_000, 10), (10, 1_001, 10), (50, 1_000, 99), (50, 1_000, 100), (50, 300, 101),
      (50, 300, 100),
    ] {
      var (before, now) = (RejectedRows(), RejectedRows())
      (before.rows, now.rows) = (former > 0 ? 1_000 : 0, rows)
      for row in 0..<former { before.add(row: row, reason: "a", text: "x") }
      for row in 0..<count { now.add(row: row, reason: row % 3 == 0 ? "b" : "a", text: name(79 + row) + "\u{7}é") }
      lines.append(
        "rows \(former) \(rows) \(count): \(now.hasDoubled(since: before)) \(now.exceedsThird) \(now.sortedReasons) "
          + "\(now.examples.map { "\($0.row) \($0.text.suffix(4))" })")
    }
    try Golden.expect(lines, in: "values.txt")
  }

  @Test func `days and networks are kept as bits`() {
    var days = ComplaintDays()
    for (day, count) in [(100, 1), (100, 1), (101, 2), (37, 2), (38, 3), (164, 2), (165, 2), (229, 1)] as [(Int32, Int)]
    {
      days.insert(day)
      #expect(days.count == count && days.lastDay == max(days.lastDay ?? day, day), "\(day)")
    }
    #expect(ComplaintDays(bits: 7).count == 0 && ComplaintDays(bits: 7, lastDay: 3).count == 3)
    var networks = NetworkSketch()
    for (byte, count) in [(0, 1), (63, 2), (64, 2), (65, 3), (127, 3)] as [(UInt8, Int)] {
      networks.insert([byte, 9])
      #expect(networks.count == count)
    }
    networks.insert([])
    #expect(networks.count == 3)
  }

  @Test func `a cut has room for the entries of each pack`() {
    func recipe(_ ranking: Ranking, _ source: Recipe.Source = .reports, limit: Int = 100) -> Recipe {
      Recipe(name: "a", kind: .blocking, limit: limit, source: source, ranking: ranking)
    }
    func wanted(_ recipes: [Recipe], packs: Int = 1) -> [Int]? {
      SelectionCut.numbers(for: recipes) { _ in packs }.map { [$0.hot, $0.identified] }
    }
    #expect(wanted([recipe(.heat)]) == [125, 0] && wanted([recipe(.heat, limit: 101)], packs: 3) == [378, 0])
    #expect(wanted([recipe(.identifications)]) == nil && wanted([recipe(.identifications, .directory)]) == nil)
    #expect(wanted([recipe(.heat), recipe(.identifications, limit: 60)]) == [125, 120])
    #expect(
      wanted([recipe(.heat), recipe(.evidence)]) == nil
        && wanted([recipe(.heat), recipe(Ranking(heat: 1, identifications: 1))]) == nil)
    let cut = SelectionCut(heat: 3, identifications: 5)
    #expect(cut.bound(of: .heat) == 3 && cut.bound(of: .identifications) == 5 && cut.bound(of: .evidence) == .infinity)
    #expect(cut.bound(of: Ranking(heat: 2, identifications: -1)) == 6)
  }

  @Test func `ranges meet at their first and last numbers`() {
    let ranges: [ClosedRange<Int64>] = [1...5, 8...10]
    for (numbers, found) in [
      (0...0, []), (0...1, [1...5]), (5...5, [1...5]), (5...8, ranges), (6...7, []), (6...8, [8...10]),
      (10...12, [8...10]), (11...12, []),
    ] as [(ClosedRange<Int64>, [ClosedRange<Int64>])] {
      #expect(Array(ranges.overlapping(numbers)) == found, "\(numbers)")
    }
    for (numbers, left) in [
      (1...5, []), (0...6, [0...0, 6...6]), (5...8, [6...7]), (6...7, [6...7]), (9...12, [11...12]),
      (11...11, [11...11]),
      (2...10, [6...7]),
    ] as [(ClosedRange<Int64>, [ClosedRange<Int64>])] {
      #expect(RangeMerge.subtract(ranges, from: numbers) == left, "\(numbers)")
      #expect(RangeMerge.subtract(ranges, from: [numbers]) == left, "\(numbers)")
    }
    #expect(RangeMerge.joined([1...2, 3...4, 3...3, 6...7]) == [1...4, 6...7])
  }

  /// Of 256 numbers of each of two reporters, 26 are a tenth; of 25 shared ones they would not be.
  @Test func `256 numbers of a reporter are compared`() {
    let (one, other) = (Reporter([1]), Reporter([2]))
    let votes = [one, other].map {
      ReporterVote(reporter: $0, isToxic: true, isNew: true, age: 0, network: nil)
    }
    for start in Array(stride(from: Int64(0), to: 230, by: 26)) + [230] {
      var overlap = TargetOverlap()
      for number in 0..<Int64(256) {
        overlap.add(number, (start..<start + 26).contains(number) ? [one, other] : [one])
      }
      for number in 1_000..<Int64(1_230) { overlap.add(number, [other]) }
      overlap.finish()
      #expect(overlap.pairs(among: votes, on: 5_000).count == 1, "\(start)")
    }
  }
}
