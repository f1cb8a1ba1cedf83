// SPDX-License-Identifier: Apache-2.0

/// Merges decisions and approved ranges with the numbers that reports list, all in ascending order.
///
/// Each number is returned once: by its decision; otherwise by its reports; otherwise by its range. A range also blocks
/// members that their reports only identify.
public struct CurationMerge: Sendable {
  private let state: CurationState
  private let ranges: [ListedNumber]
  private var decision = 0
  private var range = 0

  /// - Parameter state: the state in the snapshot that the reports are read from.
  public init(_ state: CurationState) {
    self.state = state
    ranges = state.rangeNumbers()
  }

  /// All listed numbers up to the last of these numbers.
  /// - Parameter reported: numbers that are listed by reports or decided, ascending and after those of earlier calls.
  ///   Of decided numbers only the figures and, where the decision has none, the category are used.
  public mutating func take(_ reported: [ListedNumber]) -> [ListedNumber] {
    var all: [ListedNumber] = []
    for reported in reported {
      var item = reported
      appendDue(before: item.number, to: &all)
      if range < ranges.count, ranges[range].number == item.number {
        if ranges[range].treatment == .block, item.treatment == .identify { item.take(ranges[range]) }
        range += 1
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
    while true {
      let nextDecision = decision < state.decisions.count ? state.decisions[at: decision].number : .max
      let nextRange = range < ranges.count ? ranges[range].number : .max
      guard min(nextDecision, nextRange) < number else { return }
      if nextDecision <= nextRange {
        if let listed = state.listed(at: decision) { all.append(listed) }
        decision += 1
        if nextRange == nextDecision { range += 1 }
      } else {
        all.append(ranges[range])
        range += 1
      }
    }
  }
}

/// The decisions of moderators, operators and owners at one time, which a publication applies to the reports.
public struct CurationState: Sendable {
  /// The protected numbers.
  public var protected: ProtectedNumbers
  /// The decisions in force.
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
  /// Ranges that a moderator has approved.
  public var ranges: [ApprovedRange]

  /// Creates a value from its properties.
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
      isHeld: held.contains(number), reportCeiling: reportCeilings[number] ?? .block)
  }

  /// The overrides of a record. After a review, reports that it did not judge, because none arrived lately, list nothing new:
  /// they keep what the last publication made of them.
  public func overrides(of record: NumberRecord, country: String? = nil) -> OverrideState {
    var overrides = overrides(of: record.number, country: country)
    guard let cleared, reportCeilings[record.number] == nil, !cleared.contains(record.number) else { return overrides }
    // A source may have blocked a number that it names.
    let isBlockedByReports = record.isBlocked && record.sources.isEmpty
    overrides.reportCeiling = isBlockedByReports ? .block : record.isListed ? .identify : .nothing
    return overrides
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
  /// most ``RangeDetection/maxExpanded``, from the hottest ranges first.
  public func rangeNumbers() -> [ListedNumber] {
    var members: [Int64: ListedNumber] = [:]
    for approved in ranges.sorted(by: { ($1.heat, $0.range.first) < ($0.heat, $1.range.first) }) {
      for number in approved.range.numbers {
        guard members.count < RangeDetection.maxExpanded else { break }
        guard members[number] == nil, !held.contains(number), reportCeilings[number] != .nothing,
          decisions.decision(of: number) == nil,
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

  /// Creates a value from its properties.
  public init(range: NumberRange, category: ReportCategory, heat: Double) {
    self.range = range
    self.category = category
    self.heat = heat
  }
}

/// A number that a publication may take because of reports, decisions or approved ranges.
public struct ListedNumber: Sendable, Equatable {
  /// The packs that may contain it.
  public enum Treatment: UInt8, Sendable {
    /// Blocking packs and identification packs.
    case block
    /// Identification packs only.
    case identify
  }

  /// The cause of the listing.
  public enum Cause: UInt8, Sendable {
    /// Its reports are over their threshold.
    case reports
    /// A moderator's decision.
    case decision
    /// An approved range contains it.
    case range
  }

  /// E.164 digits.
  public var number: Int64
  /// The category that phones show: the hottest toxic one, or a moderator's.
  public var category: ReportCategory
  /// The packs that may contain it.
  public var treatment: Treatment
  /// The cause of the listing.
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

  /// Creates a value from its properties.
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

  /// Takes the cause, category and treatment of another listing.
  fileprivate mutating func take(_ other: ListedNumber) {
    (cause, category, treatment, reporters) = (other.cause, other.category, other.treatment, other.reporters)
  }
}
