// SPDX-License-Identifier: Apache-2.0

/// Merges decisions with the numbers that reports list, all in ascending order.
///
/// Each number is returned once: by its decision; otherwise by its reports. A range that blocks also blocks numbers that
/// their reports only identify. The other numbers of ranges are not returned; see ``CurationState/ruledRanges()``.
public struct CurationMerge: Sendable {
  private let state: CurationState
  private let ranges: [RuledRange]
  private var decision = 0
  private var range = 0

  /// - Parameter state: the state in the snapshot that the reports are read from.
  public init(_ state: CurationState) {
    self.state = state
    ranges = state.ruledRanges()
  }

  /// All listed numbers up to the last of these numbers.
  /// - Parameter reported: numbers that are listed by reports or decided, ascending and after the numbers of earlier calls.
  ///   Of decided numbers only the figures and, where the decision has none, the category are used.
  public mutating func take(_ reported: [ListedNumber]) -> [ListedNumber] {
    var all: [ListedNumber] = []
    for reported in reported {
      var item = reported
      appendDue(before: item.number, to: &all)
      while range < ranges.count, ranges[range].numbers.upperBound < item.number { range += 1 }
      if range < ranges.count, ranges[range].numbers.contains(item.number), ranges[range].treatment == .block,
        item.treatment == .identify
      {
        item.take(state.rules[ranges[range].rule])
      }
      guard decision < state.decisions.count, state.decisions[at: decision].number == item.number else {
        all.append(item)
        continue
      }
      let entry = state.decisions[at: decision]
      if var listed = state.listed(at: decision) {
        (listed.heat, listed.evidence, listed.identifications) = (item.heat, item.evidence, item.identifications)
        if entry.category == nil { listed.category = item.category }
        all.append(listed)
      }
      decision += 1
    }
    return all
  }

  /// The listed numbers after the last call.
  public mutating func finish() -> [ListedNumber] {
    var all: [ListedNumber] = []
    appendDue(before: .max, to: &all)
    return all
  }

  private mutating func appendDue(before number: Int64, to all: inout [ListedNumber]) {
    while decision < state.decisions.count, state.decisions[at: decision].number < number {
      if let listed = state.listed(at: decision) { all.append(listed) }
      decision += 1
    }
  }
}

/// The decisions of moderators, operators and owners at one time, which a publication applies to the reports.
public struct CurationState: Sendable {
  public var protected: ProtectedNumbers
  public var decisions: StandingDecisions
  /// Numbers that are held, whatever supports them.
  public var held: Set<Int64>
  /// The strongest treatment that reporters can trigger, for numbers whose reports are held.
  public var reportCeilings: [Int64: SourceCeiling] = [:]
  /// Independent reporters of numbers whose held reports identify them.
  public var independentReporters: [Int64: Int] = [:]
  /// Numbers whose reports a review has judged and does not hold; nil before a review.
  public var cleared: Set<Int64>?
  /// Numbers that are identified and not blocked; see ``Spoofing``.
  public var victims: Set<Int64>
  /// The rules for ranges that are in force.
  public var rules: [RangeRule]

  public init(
    protected: ProtectedNumbers = .none, decisions: StandingDecisions = StandingDecisions(), held: Set<Int64> = [],
    victims: Set<Int64> = [], rules: [RangeRule] = []
  ) {
    self.protected = protected
    self.decisions = decisions
    self.held = held
    self.victims = victims
    self.rules = rules
  }

  /// The overrides of one number, for ``Score/evaluate(by:in:country:)``.
  public func overrides(of number: Int64, country: String? = nil) -> OverrideState {
    OverrideState(
      country: country, isProtected: protected.rule(for: number) != nil,
      isDecided: decisions.decision(of: number) != nil,
      isHeld: held.contains(number), reportCeiling: reportCeilings[number] ?? .block)
  }

  /// The overrides of a record. After a review, reports that it did not judge list nothing new.
  public func overrides(of record: NumberRecord, country: String? = nil) -> OverrideState {
    var overrides = overrides(of: record.number, country: country)
    guard let cleared, reportCeilings[record.number] == nil, !cleared.contains(record.number) else { return overrides }
    overrides.reportCeiling = record.unjudgedCeiling
    return overrides
  }

  /// The treatment of a number that is listed because of reports.
  public func treatment(of number: Int64) -> ListedNumber.Treatment { victims.contains(number) ? .identify : .block }

  /// The number that a decision lists; nil for an allowed or a protected one.
  ///
  /// A decision to block without a category lists the number as ``ReportCategory/other``, or as its category with the most heat
  /// where ``CurationMerge`` finds its reports.
  func listed(at place: Int) -> ListedNumber? {
    let entry = decisions[at: place]
    let treatment: ListedNumber.Treatment
    switch entry.treatment {
    case .allow: return nil
    case .block: treatment = .block
    case .identify: treatment = .identify
    }
    guard protected.rule(for: entry.number) == nil else { return nil }
    return ListedNumber(
      number: entry.number, category: entry.category ?? .other, treatment: treatment, cause: .decision, heat: 0,
      evidence: 0, label: entry.label)
  }

  public func countListedByDecisions() -> Int { (0..<decisions.count).count { listed(at: $0) != nil } }

  /// The numbers that rules list, ascending and without overlaps: by the rule that applies, without protected,
  /// decided and held numbers. Numbers that others seem to misuse are only identified.
  public func ruledRanges() -> [RuledRange] {
    guard !rules.isEmpty else { return [] }
    let excluded = (Array(held) + reportCeilings.filter { $0.value != .block }.map(\.key)).sorted()
    let victims = victims.sorted()
    var found: [RuledRange] = []
    for item in RangeMerge.disjoint(rules) where rules[item.rule].treatment != .allow {
      let singles = (decisions.all(in: item.numbers) + excluded.all(in: item.numbers)).map { $0...$0 }
      let holes = (singles + protected.ranges(in: item.numbers)).sorted { $0.lowerBound < $1.lowerBound }
      let treatment: ListedNumber.Treatment = rules[item.rule].treatment == .block ? .block : .identify
      for part in RangeMerge.subtract(holes, from: item.numbers) {
        let spoofed = treatment == .block ? victims.all(in: part).map { $0...$0 } : []
        var parts = RangeMerge.subtract(spoofed, from: part).map {
          RuledRange($0, treatment: treatment, rule: item.rule)
        }
        parts += spoofed.map { RuledRange($0, treatment: .identify, rule: item.rule) }
        if !spoofed.isEmpty { parts.sort { $0.numbers.lowerBound < $1.numbers.lowerBound } }
        found += parts
      }
    }
    return found
  }

  public func rule(for number: Int64) -> RangeRule? {
    let containing = rules.filter { $0.range.contains(number) }
    let rule = RangeMerge.disjoint(containing).first { $0.numbers.contains(number) }.map { containing[$0.rule] }
    return rule?.treatment == .allow ? nil : rule
  }
}

/// A number that a publication may take because of reports, decisions or rules for ranges.
public struct ListedNumber: Sendable, Equatable {
  /// The packs that may contain it.
  public enum Treatment: UInt8, Sendable {
    /// Blocking packs and identification packs.
    case block
    /// Identification packs only.
    case identify
  }

  public enum Cause: UInt8, Sendable {
    /// Its reports are over their threshold.
    case reports
    case decision
    case range
  }

  /// E.164 digits.
  public var number: Int64
  /// The category that phones show: the toxic one with the most heat, or a moderator's.
  public var category: ReportCategory
  public var treatment: Treatment
  public var cause: Cause
  /// Decayed complaints at the publication's time, in units of a fresh complaint of full weight.
  public var heat: Double
  /// Decayed complaints at that time, with the half-life of evidence.
  public var evidence: Double
  /// Decayed calls that phones counted, at that time; 0 where there are none.
  public var identifications: Double
  /// Number of reporters where their reports identify the number and do not block it; otherwise 0.
  public var reporters = 0
  /// A moderator's label; nil for the category's.
  public var label: String?

  public init(
    number: Int64, category: ReportCategory, treatment: Treatment = .block, cause: Cause = .reports,
    heat: Double, evidence: Double, identifications: Double = 0, label: String? = nil
  ) {
    self.number = number
    self.category = category
    self.treatment = treatment
    self.cause = cause
    self.heat = heat
    self.evidence = evidence
    self.identifications = identifications
    self.label = label
  }

  /// Takes the category and label of a rule, which blocks it.
  fileprivate mutating func take(_ rule: RangeRule) {
    (cause, category, treatment, reporters, label) = (.range, rule.category, .block, 0, rule.label)
  }
}
