// SPDX-License-Identifier: Apache-2.0

/// The decayed heat below which no number is listed.
public struct HeatFloor: Sendable, Equatable {
  /// Of any number.
  public var heat: Double
  /// Of numbers with ``reporters`` reporters or more, and of listed ones.
  public var reported: Double
  public var reporters: Int

  /// Without the others, `heat` is the heat of every number.
  public init(heat: Double, reported: Double? = nil, reporters: Int = 0) {
    (self.heat, self.reported, self.reporters) = (heat, reported ?? heat, reporters)
  }

  public func lowered(to other: HeatFloor) -> HeatFloor {
    HeatFloor(
      heat: min(heat, other.heat), reported: min(reported, other.reported), reporters: min(reporters, other.reporters))
  }

  public var lowest: Double { min(heat, reported) }
}

/// A complete set of thresholds: by category, by country, and by imported list.
public struct ThresholdSet: Sendable, Equatable {
  /// One for each toxic category without a country, and any number with one.
  public private(set) var thresholds: [Threshold]
  /// One for all lists (``SourceRule/everyList``), and any number for single lists.
  public private(set) var sources: [SourceRule]
  public private(set) var identify: IdentifyRule
  /// Weights of new reporters: one rule for all apps (``AttestationRule/everyApp``), and any number for single apps.
  public private(set) var attestation: [AttestationRule]
  /// The strongest action that a source can trigger alone, by its id in `apps`. Not part of a version.
  public private(set) var ceilings: [Int32: SourceCeiling]
  /// The ids of sources that are suspended: their ceiling is ``SourceCeiling/nothing``, and their weight 0. Not part of a
  /// version.
  public private(set) var suspended: Set<Int32>
  /// The weights of entries of suspended sources when they were suspended. Not part of a version.
  public private(set) var suspendedWeights: [Int32: Double]

  private struct Place: Hashable {
    let category: ReportCategory
    let country: String
  }

  private var general: [Threshold?]
  private var special: [Place: Threshold]
  private var bySource: [Int32: SourceRule]
  private let everyList: SourceRule

  public let floor: HeatFloor
  /// The least number of reporters who can list a number, 1 or more.
  public let fewestReporters: Int
  public let lowestReviewHeat: Double

  /// - Throws: ``ThresholdProblem`` for the first rule that is broken: a value out of range, a `leave` limit above the
  ///   `enter` limit, a duplicate or missing category or list.
  public init(
    thresholds: [Threshold], sources: [SourceRule], identify: IdentifyRule = IdentifyRule(),
    attestation: [AttestationRule] = [AttestationRule()], ceilings: [Int32: SourceCeiling] = [:],
    suspended: Set<Int32> = [], suspendedWeights: [Int32: Double] = [:]
  ) throws(ThresholdProblem) {
    self.identify = identify
    self.attestation = attestation.sorted { $0.appID < $1.appID }
    self.ceilings = ceilings
    self.suspended = suspended
    self.suspendedWeights = suspendedWeights
    self.thresholds = thresholds.sorted(by: Self.comesBefore)
    self.sources = sources.sorted { $0.appID < $1.appID }
    general = Array(repeating: nil, count: ReportCategory.allCases.count + 1)
    special = [:]
    bySource = [:]
    for threshold in thresholds {
      try threshold.check()
      if let country = threshold.country {
        let place = Place(category: threshold.category, country: country)
        guard special.updateValue(threshold, forKey: place) == nil else { throw .twice(threshold.name) }
      } else {
        guard general[Int(threshold.category.rawValue)] == nil else { throw .twice(threshold.name) }
        general[Int(threshold.category.rawValue)] = threshold
      }
    }
    for category in ReportCategory.allCases where category.isToxic && general[Int(category.rawValue)] == nil {
      throw .noGeneralThreshold(category)
    }
    for rule in sources {
      try rule.check()
      guard bySource.updateValue(rule, forKey: rule.appID) == nil else {
        throw .twice("source \(rule.appID)")
      }
    }
    guard let everyList = bySource[SourceRule.everyList] else {
      throw .noRuleForEveryList
    }
    self.everyList = everyList
    if let problem = identify.problems.first { throw problem.of("identify") }
    for (place, rule) in self.attestation.enumerated() {
      if let problem = rule.problems.first { throw problem.of("app \(rule.appID)") }
      if place > 0, self.attestation[place - 1].appID == rule.appID { throw .twice("app \(rule.appID)") }
    }
    let lowest = thresholds.reduce(.infinity) { min($0, $1.leave.heat) }
    // A source may be added to the reports at any time, so the heat of corroborated reports is the lowest.
    floor = HeatFloor(
      heat: lowest, reported: lowest * identify.heatShare / 2, reporters: identify.corroborated.reporters)
    fewestReporters = max(1, thresholds.reduce(identify.corroborated.reporters) { min($0, $1.enter.reporters) })
    lowestReviewHeat = thresholds.reduce(.infinity) { min($0, $1.reviewHeat) }
  }

  /// The threshold for numbers of this leading category.
  /// - Parameter country: ISO 3166 alpha-2; called only where a country has its own threshold.
  /// - Returns: nil for a category that is not toxic.
  public func threshold(for category: ReportCategory, country: () -> String?) -> Threshold? {
    if !special.isEmpty, let country = country(),
      let threshold = special[Place(category: category, country: country)]
    {
      return threshold
    }
    return general[Int(category.rawValue)]
  }

  /// The threshold for exactly this category and country; nil where a more general one applies.
  /// - Parameter country: nil for the one for all countries.
  public func own(_ category: ReportCategory, country: String?) -> Threshold? {
    thresholds.first { $0.category == category && $0.country == country }
  }

  /// A list's own rule; nil where the rule of every list applies.
  public func own(list appID: Int32) -> SourceRule? { sources.first { $0.appID == appID } }

  public func rule(forSource appID: Int32) -> SourceRule { bySource[appID] ?? everyList }

  /// A copy with this threshold added, or replacing the one of its category and country.
  public func replacing(_ threshold: Threshold) throws(ThresholdProblem) -> ThresholdSet {
    try with(
      thresholds.filter { $0.category != threshold.category || $0.country != threshold.country } + [threshold], sources)
  }

  /// A copy without a country's threshold: the one for all countries applies.
  public func removing(_ category: ReportCategory, country: String) throws(ThresholdProblem) -> ThresholdSet {
    try with(thresholds.filter { $0.category != category || $0.country != country }, sources)
  }

  /// A copy with this rule added, or replacing the list's own one.
  public func replacing(_ rule: SourceRule) throws(ThresholdProblem) -> ThresholdSet {
    try with(thresholds, sources.filter { $0.appID != rule.appID } + [rule])
  }

  public func replacing(_ identify: IdentifyRule) throws(ThresholdProblem) -> ThresholdSet {
    var copy = self
    copy.identify = identify
    return try copy.with(thresholds, sources)
  }

  /// The weights of new reporters of an app, as its own rule: where it has none, a copy of that for every app.
  public func rule(ofApp appID: Int32) -> AttestationRule {
    var rule = attestation.first { $0.appID == appID } ?? attestation.first { $0.appID == AttestationRule.everyApp }
    rule?.appID = appID
    return rule ?? AttestationRule(appID: appID)
  }

  /// A copy with this rule for an app added, or replacing the app's own one.
  public func replacing(_ rule: AttestationRule) throws(ThresholdProblem) -> ThresholdSet {
    var copy = self
    copy.attestation = attestation.filter { $0.appID != rule.appID } + [rule]
    return try copy.with(thresholds, sources)
  }

  /// A copy without a list's rule: the one for every list applies.
  public func removing(ruleOfList appID: Int32) throws(ThresholdProblem) -> ThresholdSet {
    try with(thresholds, sources.filter { $0.appID != appID })
  }

  private func with(
    _ thresholds: [Threshold], _ sources: [SourceRule]
  ) throws(ThresholdProblem) -> ThresholdSet {
    try ThresholdSet(
      thresholds: thresholds, sources: sources, identify: identify, attestation: attestation, ceilings: ceilings,
      suspended: suspended, suspendedWeights: suspendedWeights)
  }

  /// The weight of an entry of a source: for a suspended one its weight at the suspension, otherwise the weight of its rule.
  public func weight(ofSource appID: Int32) -> Double {
    suspended.contains(appID) ? suspendedWeights[appID] ?? rule(forSource: appID).weight : rule(forSource: appID).weight
  }

  /// The strongest action that a source can trigger alone; ``SourceCeiling/block`` for a list that is imported by hand.
  public func ceiling(ofSource appID: Int32) -> SourceCeiling {
    suspended.contains(appID) ? .nothing : ceilings[appID] ?? .block
  }

  /// A suspension stays.
  public func replacing(ceilingOf appID: Int32, with ceiling: SourceCeiling) -> ThresholdSet {
    var copy = self
    copy.ceilings[appID] = ceiling
    return copy
  }

  /// A copy in which these sources are suspended as well.
  public func suspending(_ sources: Set<Int32>) -> ThresholdSet {
    var copy = self
    copy.suspended.formUnion(sources)
    return copy
  }

  public var withoutSuspensions: ThresholdSet {
    var copy = self
    copy.suspended = []
    return copy
  }

  /// A copy in which every source counts as a list that is imported by hand.
  var withoutCeilings: ThresholdSet {
    var copy = self
    (copy.ceilings, copy.suspended) = ([:], [])
    return copy
  }

  /// The rule that applies to a list, as its own rule: where it has none, a copy of that for every list.
  public func rule(ofList appID: Int32) -> SourceRule {
    var rule = rule(forSource: appID)
    rule.appID = appID
    return rule
  }

  private static func comesBefore(_ left: Threshold, _ right: Threshold) -> Bool {
    (left.category.rawValue, left.country ?? "") < (right.category.rawValue, right.country ?? "")
  }
}
