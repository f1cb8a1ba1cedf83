// SPDX-License-Identifier: Apache-2.0

extension Threshold {
  /// The category, and the country if it has one: `fraud DE`.
  public var name: String { country.map { "\(category.slug) \($0)" } ?? category.slug }

  /// Checks all rules.
  /// - Throws: ``ThresholdProblem`` for the first broken rule.
  public func check() throws(ThresholdProblem) {
    if let problem = problems.first { throw problem.of(name) }
  }

  /// Every broken rule, with the field only: `enter.heat`.
  public var problems: [ThresholdProblem] {
    var problems: [ThresholdProblem] = []
    func ask(_ isSo: Bool, _ problem: @autoclosure () -> ThresholdProblem) {
      if !isSo { problems.append(problem()) }
    }
    ask(category.isToxic, .field(.notToxic, "category"))
    ask(country.map(Self.isCountry) ?? true, .field(.notACountry, "country"))
    for (side, bar) in [("enter", enter), ("leave", leave)] {
      ask(bar.heat > 0 && bar.heat <= 1_000_000, .notPositive("\(side).heat", most: 1_000_000))
      ask((0...1_000_000).contains(bar.evidence), .outOfRange("\(side).evidence", 0...1_000_000))
      ask((0...1).contains(bar.confidence), .outOfRange("\(side).confidence", 0...1))
      ask((0...1_000_000).contains(bar.reporters), .outOfRange("\(side).reporters", 0...1_000_000))
      ask((0...64).contains(bar.networks), .outOfRange("\(side).networks", 0...64))
      ask((0...64).contains(bar.days), .outOfRange("\(side).days", 0...64))
    }
    ask(leave.heat <= enter.heat, .field(.aboveEnter, "leave.heat"))
    ask(leave.evidence <= enter.evidence, .field(.aboveEnter, "leave.evidence"))
    ask(leave.confidence <= enter.confidence, .field(.aboveEnter, "leave.confidence"))
    ask(leave.reporters <= enter.reporters, .field(.aboveEnter, "leave.reporters"))
    ask(leave.networks <= enter.networks, .field(.aboveEnter, "leave.networks"))
    ask(leave.days <= enter.days, .field(.aboveEnter, "leave.days"))
    ask(reviewHeat > 0 && reviewHeat <= enter.heat, .field(.aboveEnterHeat, "review_heat"))
    return problems
  }

  private static func isCountry(_ code: String) -> Bool {
    code.utf8.count == 2 && code.utf8.allSatisfy { (65...90).contains($0) }
  }
}

extension SourceRule {
  /// Checks all rules.
  /// - Throws: ``ThresholdProblem`` for the first broken rule.
  public func check() throws(ThresholdProblem) {
    if let problem = problems.first { throw problem.of("source \(appID)") }
  }

  /// Every broken rule, with the field only: `enter.days`.
  public var problems: [ThresholdProblem] {
    var problems: [ThresholdProblem] = []
    func ask(_ isSo: Bool, _ problem: @autoclosure () -> ThresholdProblem) {
      if !isSo { problems.append(problem()) }
    }
    ask(appID >= 0, .field(.notAList, "app"))
    ask((0...10).contains(weight), .outOfRange("weight", 0...10))
    for (side, bar) in [("enter", enter), ("leave", leave)] {
      ask((1...1_000_000).contains(bar.complaints), .outOfRange("\(side).complaints", 1...1_000_000))
      ask((1...64).contains(bar.days), .outOfRange("\(side).days", 1...64))
    }
    ask(leave.complaints <= enter.complaints, .field(.aboveEnter, "leave.complaints"))
    ask(leave.days <= enter.days, .field(.aboveEnter, "leave.days"))
    return problems
  }
}
