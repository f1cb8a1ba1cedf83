// SPDX-License-Identifier: Apache-2.0

/// The decisions of moderators, operators and owners at one time, which a publication applies to the reports.
public struct CurationState: Sendable {
  /// The protected numbers.
  public var protected: ProtectedNumbers
  /// The decisions in force.
  public var decisions: StandingDecisions
  /// Numbers that are held.
  public var held: Set<Int64>
  /// Numbers that are identified and not blocked; see ``Spoofing``.
  public var victims: Set<Int64>
  /// Ranges that a moderator has approved.
  public var ranges: [ApprovedRange]

  /// - Parameters: see the properties.
  public init(
    protected: ProtectedNumbers = .none, decisions: StandingDecisions = StandingDecisions(), held: Set<Int64> = [],
    victims: Set<Int64> = [], ranges: [ApprovedRange] = []
  ) {
    self.protected = protected
    self.decisions = decisions
    self.held = held
    self.victims = victims
    self.ranges = ranges
  }

  /// The overrides of one number, for ``Score/evaluate(by:in:country:)``.
  public func overrides(of number: Int64, country: String? = nil) -> OverrideState {
    OverrideState(
      country: country, isProtected: protected.rule(for: number) != nil,
      isDecided: decisions.decision(of: number) != nil,
      isHeld: held.contains(number))
  }

  /// The treatment of a number that is listed because of reports.
  public func treatment(of number: Int64) -> ListedNumber.Treatment { victims.contains(number) ? .identify : .block }

  /// The number that a decision lists; nil for an allowed or a protected one.
  ///
  /// A decision to block without a category lists the number as ``ReportCategory/other``, or as its hottest category
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

  /// Number of numbers that decisions list.
  public func countListedByDecisions() -> Int { (0..<decisions.count).count { listed(at: $0) != nil } }

  /// The publishable members of approved ranges, ascending, each once: without protected, decided and held ones, and at
  /// most ``RangeDetection/mostExpanded``, from the hottest ranges first.
  public func rangeNumbers() -> [ListedNumber] {
    var members: [Int64: ListedNumber] = [:]
    for approved in ranges.sorted(by: { ($1.heat, $0.range.first) < ($0.heat, $1.range.first) }) {
      for number in approved.range.numbers {
        guard members.count < RangeDetection.mostExpanded else { break }
        guard members[number] == nil, !held.contains(number), decisions.decision(of: number) == nil,
          protected.rule(for: number) == nil
        else { continue }
        let share = approved.heat / Double(approved.range.size)
        members[number] = ListedNumber(
          number: number, category: approved.category, treatment: treatment(of: number), cause: .range,
          heat: share, evidence: share)
      }
    }
    return members.values.sorted { $0.number < $1.number }
  }
}

/// A range that is published with all its numbers.
public struct ApprovedRange: Sendable, Equatable {
  /// The numbers.
  public var range: NumberRange
  /// The category of its calls.
  public var category: ReportCategory
  /// Sum of the decayed heat of its numbers.
  public var heat: Double

  /// - Parameters: see the properties.
  public init(range: NumberRange, category: ReportCategory, heat: Double) {
    self.range = range
    self.category = category
    self.heat = heat
  }
}
