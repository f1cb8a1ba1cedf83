// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A rule for all numbers of a range.
///
/// It never lists a number that is protected, decided, held, or named by a directory. Where rules overlap, the one with
/// the fewest numbers applies, then one that allows, then the newer one.
public struct RangeRule: Sendable, Equatable {
  /// The state of the review.
  public enum State: String, Sendable, CaseIterable {
    /// Waiting for a moderator, or for a second one.
    case proposed
    /// In force from ``RangeRule/validFrom`` to ``RangeRule/validUntil``.
    case approved
    /// Not in force, and not proposed again by the detection.
    case rejected
  }

  /// The id of the rules of moderators and operators, where a source has its own.
  public static let noSource: Int32 = 0
  /// The most numbers that one person may block with rules at once; more need another moderator's approval.
  public static let maxUnreviewed: Int64 = 1_000_000
  public static let maxRulesOfSource = 20_000
  public static let maxRules = 100_000

  public var range: RangePattern
  /// The source whose list has the rule; ``noSource`` for a moderator's, an operator's or a detected one.
  public var appID = noSource
  public var treatment: Decision.Treatment
  public var category: ReportCategory
  /// The label that phones show; nil for the category's.
  public var label: String?
  /// The public reason, such as the decision of a regulator.
  public var reason: String?
  public var state: State
  /// The numbers with complaints at the last detection; 0 for a rule that was not detected.
  public var members = 0
  /// Sum of the stored heat of its numbers; read it through `Decay`.
  public var heat = 0.0
  /// From when on it is in force; nil from its approval on.
  public var validFrom: Date?
  /// Until when it is in force; nil for always.
  public var validUntil: Date?
  /// The account that added it; nil for a detected one.
  public var proposedBy: String?
  public var proposedAt: Date
  public var decidedBy: String?
  public var decidedAt: Date?

  /// - Throws: ``RuleViolation`` for the first rule that is broken.
  public init(
    _ range: RangePattern, treatment: Decision.Treatment = .block, category: ReportCategory = .other,
    label: String? = nil, reason: String?, validFrom: Date? = nil, validUntil: Date? = nil, proposedBy: String,
    at time: Date
  ) throws(RuleViolation) {
    // A rule follows the rules of a decision about one number, except that it may identify with the category's label.
    let decision = try Decision(
      number: range.first, treatment: treatment, label: treatment == .identify ? label ?? category.label : label,
      category: category, reason: reason, decidedBy: proposedBy, decidedAt: time)
    if let validUntil, validUntil <= max(validFrom ?? time, time) { throw RuleViolation(.endTooEarly, field: "until") }
    self.init(
      stored: range, treatment: treatment, category: category, label: label == nil ? nil : decision.label,
      reason: decision.reason, state: .proposed, proposedAt: time)
    (self.validFrom, self.validUntil, self.proposedBy) = (validFrom, validUntil, decision.decidedBy)
  }

  /// A rule as stored or detected.
  public init(
    stored range: RangePattern, treatment: Decision.Treatment = .block, category: ReportCategory, label: String? = nil,
    reason: String? = nil, state: State, proposedAt: Date
  ) {
    (self.range, self.treatment, self.category, self.label) = (range, treatment, category, label)
    (self.reason, self.state, self.proposedAt) = (reason, state, proposedAt)
  }

  /// Whether rules that one person or source adds at once need another person's approval.
  public static func needsApproval(_ rules: [RangeRule]) -> Bool {
    rules.reduce(0) { $1.treatment == .block ? $0 + $1.range.size : $0 } > maxUnreviewed
  }

  /// The rule within the ceiling of its source; nil where the source may not list numbers. A moderator's approval is
  /// stronger than the ceiling.
  public func limited(by thresholds: ThresholdSet) -> RangeRule? {
    guard appID != Self.noSource, decidedBy == proposedBy else { return self }
    let ceiling = thresholds.ceiling(ofSource: appID)
    guard ceiling >= .identify else { return nil }
    var rule = self
    if ceiling == .identify, treatment == .block { rule.treatment = .identify }
    return rule
  }

  /// The state, and the times of its proposal and decision: two readings with one version saw the same rule and review.
  public var version: String {
    "\(state.rawValue) \(proposedAt.timeIntervalSince1970) \(decidedAt?.timeIntervalSince1970 ?? 0)"
  }

  public func applies(at time: Date) -> Bool {
    state == .approved && validFrom.map { $0 <= time } ?? true && validUntil.map { $0 > time } ?? true
  }
}

extension RangeRule {
  /// The rules of a source after its list was read. A rule that it had before keeps its review.
  ///
  /// New rules are in force at once, unless the source may not list numbers, or they block more than ``maxUnreviewed``
  /// numbers together: then a moderator approves them.
  package struct Replacement {
    /// All rules of the source.
    package let wanted: [RangeRule]
    package let removed: [RangeRule], changed: [RangeRule]

    /// - Parameters:
    ///   - name: the source's name, which has proposed them.
    ///   - ceiling: the strongest action that the source can trigger.
    ///   - before: its stored rules.
    ///   - listed: the rules of the list.
    package init(
      of appID: Int32, named name: String, ceiling: SourceCeiling, former before: [RangeRule],
      with listed: [RangeRule], at time: Date
    ) {
      let former = Dictionary(before.map { ($0.range.text, $0) }) { first, _ in first }
      // Rules of a source that may only identify do no more until its list has been judged with a higher ceiling.
      let rules = listed.map { rule in
        var rule = rule
        if ceiling == .identify, rule.treatment == .block { rule.treatment = .identify }
        return rule
      }
      let approved = Dictionary(grouping: former.values.filter { $0.state == .approved }, by: \.treatment)
        .mapValues { $0.flatMap(\.range.blocks).sorted { $0.lowerBound < $1.lowerBound } }
      func known(_ rule: RangeRule) -> RangeRule? {
        guard let known = former[rule.range.text] else { return nil }
        // A rejection is kept whatever the list says.
        return known.treatment == rule.treatment || known.state == .rejected ? known : nil
      }
      // A part of an approved rule, from which its publisher has taken numbers, needs no new approval.
      func isPart(_ rule: RangeRule) -> Bool {
        rule.range.blocks.allSatisfy { block in
          approved[rule.treatment]?.overlapping(block).contains {
            $0.contains(block.lowerBound) && $0.contains(block.upperBound)
          } ?? false
        }
      }
      let new = rules.filter { known($0) == nil && !isPart($0) }
      // Not in small steps: the rules that the source has got without a moderator within a day count too.
      let recent = former.values.filter { rule in
        rule.decidedBy == name && rule.decidedAt.map { time.timeIntervalSince($0) < 86_400 } == true
      }
      let isApproved =
        ceiling >= .identify && (ceiling == .identify || !needsApproval(new + (new.isEmpty ? [] : recent)))
      wanted = rules.map { rule in
        var rule = rule
        (rule.appID, rule.proposedBy, rule.proposedAt) = (appID, name, time)
        if let known = known(rule) {
          (rule.state, rule.proposedAt) = (known.state, known.proposedAt)
          (rule.decidedBy, rule.decidedAt) = (known.decidedBy, known.decidedAt)
        } else if isApproved || isPart(rule) {
          (rule.state, rule.decidedBy, rule.decidedAt) = (.approved, name, time)
        }
        return rule
      }
      let texts = Set(rules.map(\.range.text))
      removed = former.values.filter { !texts.contains($0.range.text) && $0.state != .rejected }
      changed = wanted.filter { $0 != former[$0.range.text] }
    }
  }
}

/// Numbers that follow each other and to which one rule applies.
public struct RuledRange: Sendable, Equatable {
  public var numbers: ClosedRange<Int64>
  public var treatment: ListedNumber.Treatment
  /// The place of the rule in ``CurationState/rules``.
  public var rule: Int

  public init(_ numbers: ClosedRange<Int64>, treatment: ListedNumber.Treatment = .block, rule: Int) {
    (self.numbers, self.treatment, self.rule) = (numbers, treatment, rule)
  }
}

/// The algebra of ranges, in time and memory of their count and not of their numbers.
public enum RangeMerge {
  /// Ascending ranges without overlaps, each with the place of the rule that applies: the one with the fewest numbers,
  /// then one that allows, then the newer one.
  public static func disjoint(_ rules: [RangeRule]) -> [(numbers: ClosedRange<Int64>, rule: Int)] {
    var blocks = rules.indices.flatMap { place in rules[place].range.blocks.map { (numbers: $0, rule: place) } }
    blocks.sort { precedes($0, $1, rules) }
    // The order of precedence becomes a number, which the heap compares.
    let starts = blocks.indices.sorted { blocks[$0].numbers.lowerBound < blocks[$1].numbers.lowerBound }
    var found: [(numbers: ClosedRange<Int64>, rule: Int)] = []
    var open = MinHeap()
    var (next, position) = (starts.startIndex, Int64(0))
    while next < starts.endIndex || !open.isEmpty {
      if open.isEmpty { position = blocks[starts[next]].numbers.lowerBound }
      while next < starts.endIndex, blocks[starts[next]].numbers.lowerBound <= position {
        open.insert(starts[next])
        next += 1
      }
      while let first = open.first, blocks[first].numbers.upperBound < position { open.removeFirst() }
      guard let first = open.first else { continue }
      let limit = next < starts.endIndex ? blocks[starts[next]].numbers.lowerBound - 1 : .max
      let end = min(blocks[first].numbers.upperBound, limit)
      if let last = found.last, last.rule == blocks[first].rule, last.numbers.upperBound + 1 == position {
        found[found.count - 1].numbers = last.numbers.lowerBound...end
      } else {
        found.append((position...end, blocks[first].rule))
      }
      position = end + 1
    }
    return found
  }

  private static func precedes(
    _ one: (numbers: ClosedRange<Int64>, rule: Int), _ other: (numbers: ClosedRange<Int64>, rule: Int),
    _ rules: [RangeRule]
  ) -> Bool {
    if one.numbers.size != other.numbers.size { return one.numbers.size < other.numbers.size }
    let (a, b) = (rules[one.rule], rules[other.rule])
    if (a.treatment == .allow) != (b.treatment == .allow) { return a.treatment == .allow }
    let times = (a.decidedAt ?? a.proposedAt, b.decidedAt ?? b.proposedAt)
    return times.0 != times.1
      ? times.0 > times.1 : (one.rule, one.numbers.lowerBound) < (other.rule, other.numbers.lowerBound)
  }

  /// The numbers of some ranges in as few ranges as possible: those that overlap or follow each other are joined.
  /// - Parameter ranges: ascending by their first numbers.
  public static func joined(_ ranges: some Sequence<ClosedRange<Int64>>) -> [ClosedRange<Int64>] {
    ranges.reduce(into: []) { joined, range in
      if let last = joined.last, range.lowerBound <= last.upperBound + 1 {
        joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
  }

  /// The parts of a range without some holes.
  /// - Parameter holes: ascending by their first numbers; they may overlap.
  public static func subtract(
    _ holes: some Sequence<ClosedRange<Int64>>, from numbers: ClosedRange<Int64>
  ) -> [ClosedRange<Int64>] {
    var parts: [ClosedRange<Int64>] = []
    var position = numbers.lowerBound
    for hole in holes where hole.upperBound >= position {
      guard hole.lowerBound <= numbers.upperBound else { break }
      if hole.lowerBound > position { parts.append(position...hole.lowerBound - 1) }
      position = hole.upperBound + 1
    }
    if position <= numbers.upperBound { parts.append(position...numbers.upperBound) }
    return parts
  }
}

extension RangeMerge {
  /// The parts of ranges without some holes; both ascending and without overlaps.
  public static func subtract(
    _ holes: [ClosedRange<Int64>], from ranges: [ClosedRange<Int64>]
  ) -> [ClosedRange<Int64>] {
    ranges.flatMap { subtract(holes.overlapping($0), from: $0) }
  }
}

extension [ClosedRange<Int64>] {
  /// The ranges of this ascending array without overlaps that have a number of another range.
  package func overlapping(_ numbers: ClosedRange<Int64>) -> ArraySlice<ClosedRange<Int64>> {
    var (low, count) = (0, self.count)
    while count > 0, case let half = count / 2 {
      if self[low + half].upperBound < numbers.lowerBound {
        (low, count) = (low + half + 1, count - half - 1)
      } else {
        count = half
      }
    }
    return self[low...].prefix { $0.lowerBound <= numbers.upperBound }
  }
}

/// A binary heap of integers with the least one at its root.
private struct MinHeap {
  private var items: [Int] = []

  var isEmpty: Bool { items.isEmpty }
  var first: Int? { items.first }

  mutating func insert(_ item: Int) {
    items.append(item)
    var child = items.count - 1
    while child > 0, case let parent = (child - 1) / 2, items[child] < items[parent] {
      items.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() {
    items.swapAt(0, items.count - 1)
    items.removeLast()
    var parent = 0
    while case let left = 2 * parent + 1, left < items.count {
      let child = left + 1 < items.count && items[left + 1] < items[left] ? left + 1 : left
      guard items[child] < items[parent] else { return }
      items.swapAt(child, parent)
      parent = child
    }
  }
}
