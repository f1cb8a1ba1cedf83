extension Threshold {
  /// The category, and the country if it has one: `fraud in DE`.
  public var name: String { country.map { "\(category.slug) in \($0)" } ?? category.slug }

  /// Holds it against its rules.
  /// - Throws: ``ThresholdProblem`` for the first that is broken.
  public func check() throws(ThresholdProblem) {
    if let problem = problems.first { throw ThresholdProblem(field: "\(name): \(problem.field)", rule: problem.rule) }
  }

  /// Every rule that is broken, with the field alone: `enter.heat`.
  public var problems: [ThresholdProblem] {
    var problems: [ThresholdProblem] = []
    func ask(_ isSo: Bool, _ field: String, _ rule: String) {
      if !isSo { problems.append(ThresholdProblem(field: field, rule: rule)) }
    }
    ask(category.isToxic, "category", "must be a toxic one: a legitimate number is never listed")
    ask(country.map(Self.isCountry) ?? true, "country", "must be two capital letters, such as DE")
    for (side, bar) in [("enter", enter), ("leave", leave)] {
      ask(bar.heat > 0 && bar.heat <= 1_000_000, "\(side).heat", "must be above 0 and at most 1,000,000")
      ask((0...1_000_000).contains(bar.evidence), "\(side).evidence", "must be 0 to 1,000,000")
      ask((0...1).contains(bar.confidence), "\(side).confidence", "must be 0 to 1")
      ask((0...1_000_000).contains(bar.reporters), "\(side).reporters", "must be 0 to 1,000,000")
      ask((0...64).contains(bar.networks), "\(side).networks", "must be 0 to 64")
      ask((0...64).contains(bar.days), "\(side).days", "must be 0 to 64")
    }
    let above = "must not be above that of enter"
    ask(leave.heat <= enter.heat, "leave.heat", above)
    ask(leave.evidence <= enter.evidence, "leave.evidence", above)
    ask(leave.confidence <= enter.confidence, "leave.confidence", above)
    ask(leave.reporters <= enter.reporters, "leave.reporters", above)
    ask(leave.networks <= enter.networks, "leave.networks", above)
    ask(leave.days <= enter.days, "leave.days", above)
    ask(reviewHeat > 0 && reviewHeat <= enter.heat, "review_heat", "must be above 0 and at most enter.heat")
    return problems
  }

  private static func isCountry(_ code: String) -> Bool {
    code.utf8.count == 2 && code.utf8.allSatisfy { (65...90).contains($0) }
  }
}

extension SourceRule {
  /// Holds it against its rules.
  /// - Throws: ``ThresholdProblem`` for the first that is broken.
  public func check() throws(ThresholdProblem) {
    if let problem = problems.first {
      throw ThresholdProblem(field: "source \(appID): \(problem.field)", rule: problem.rule)
    }
  }

  /// Every rule that is broken, with the field alone: `enter.days`.
  public var problems: [ThresholdProblem] {
    var problems: [ThresholdProblem] = []
    func ask(_ isSo: Bool, _ field: String, _ rule: String) {
      if !isSo { problems.append(ThresholdProblem(field: field, rule: rule)) }
    }
    ask(appID >= 0, "app", "must be 0 or the id of a list")
    ask((0...10).contains(weight), "weight", "must be 0 to 10")
    for (side, bar) in [("enter", enter), ("leave", leave)] {
      ask((1...1_000_000).contains(bar.complaints), "\(side).complaints", "must be 1 to 1,000,000")
      ask((1...64).contains(bar.days), "\(side).days", "must be 1 to 64")
    }
    ask(leave.complaints <= enter.complaints, "leave.complaints", "must not be above that of enter")
    ask(leave.days <= enter.days, "leave.days", "must not be above that of enter")
    return problems
  }
}
