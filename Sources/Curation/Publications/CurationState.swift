/// What moderators, operators and owners have decided, of one moment: what a publication respects beside the reports.
public struct CurationState: Sendable {
  /// What may never be published.
  public var protected: ProtectedNumbers
  /// What decisions say.
  public var decisions: StandingDecisions
  /// Numbers that are kept back for a moderator.
  public var held: Set<Int64>
  /// Numbers that are identified and not blocked; see ``Spoofing``.
  public var victims: Set<Int64>
  /// Blocks that a moderator has approved.
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

  /// What it says of one number, for ``Score/judge(by:in:country:)``.
  public func overrides(of number: Int64, country: String? = nil) -> OverrideState {
    OverrideState(
      country: country, isProtected: protected.rule(for: number) != nil,
      isDecided: decisions.decision(of: number) != nil,
      isHeld: held.contains(number))
  }

  /// Which packs may hold a number that is listed because of reports.
  public func treatment(of number: Int64) -> ListedNumber.Treatment { victims.contains(number) ? .identify : .block }

  /// What decisions list, in ascending order of number, and after them nothing that is protected.
  ///
  /// A decision to block without a category is listed as ``ReportCategory/other``, and as its hottest category where
  /// ``CurationMerge`` finds its reports.
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

  /// How many numbers decisions list.
  public func countListedByDecisions() -> Int { (0..<decisions.count).count { listed(at: $0) != nil } }

  /// The members of approved ranges that may be published, ascending, each once: less the protected, decided and held
  /// ones, and no more than ``RangeDetection/mostExpanded``, the heaviest ranges first.
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

/// A block of numbers that is published as a whole.
public struct ApprovedRange: Sendable, Equatable {
  /// The block.
  public var range: NumberRange
  /// What its callers are.
  public var category: ReportCategory
  /// Decayed heat of its numbers together.
  public var heat: Double

  /// - Parameters: see the properties.
  public init(range: NumberRange, category: ReportCategory, heat: Double) {
    self.range = range
    self.category = category
    self.heat = heat
  }
}
