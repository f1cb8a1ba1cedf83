// SPDX-License-Identifier: Apache-2.0

/// A field of a rule: its row of the form, its name there, in previews and audit events, and its range.
package struct RuleField<Rule>: Sendable {
  package enum Path: Sendable {
    case real(any WritableKeyPath<Rule, Double> & Sendable)
    case whole(any WritableKeyPath<Rule, Int> & Sendable)
    /// 1 for true.
    case flag(any WritableKeyPath<Rule, Bool> & Sendable)
  }

  /// The key of the row's text.
  let kind: String
  package let name: String
  package let path: Path
  /// Nil where ``FieldwiseRule/problems`` has a rule of its own.
  let range: ClosedRange<Int64>?
  /// Whether the least value, 0, is out of range.
  var isPositive = false

  init(_ kind: String, _ name: String, _ path: Path, _ range: ClosedRange<Int64>? = nil, isPositive: Bool = false) {
    (self.kind, self.name, self.path, self.range, self.isPositive) = (kind, name, path, range, isPositive)
  }
}

/// A rule that checks, forms, previews, audit events and statements read by field: a threshold, or the weight of an
/// imported list.
package protocol FieldwiseRule: Equatable, Sendable {
  static var table: [RuleField<Self>] { get }
  /// The prefix of its message keys: `thresholds.KIND` and `thresholds.list-KIND`.
  static var prefix: String { get }
  var problems: [ThresholdProblem] { get }
}

extension FieldwiseRule {
  /// The rows of the form: the key of a row's text, and its fields to enter and to leave the list.
  package static var lines: [(kind: String, fields: [String])] {
    table.reduce(into: []) { lines, field in
      if let place = lines.firstIndex(where: { $0.kind == field.kind }) {
        lines[place].fields.append(field.name)
      } else {
        lines.append((field.kind, [field.name]))
      }
    }
  }

  /// The range of a field of the table.
  package static func range(of name: String) -> ClosedRange<Int> {
    guard let range = table.first(where: { $0.name == name })?.range else { preconditionFailure(name) }
    return Int(range.lowerBound)...Int(range.upperBound)
  }

  package static var fields: [String] { lines.flatMap(\.fields) }

  private static func path(_ name: String) -> RuleField<Self>.Path {
    (table.first { $0.name == name } ?? table[0]).path
  }

  package static func isWhole(_ name: String) -> Bool {
    if case .real = path(name) { false } else { true }
  }

  /// Values out of their range, then limits to stay listed that are above those to enter.
  var limitProblems: [ThresholdProblem] {
    let outside = Self.table.compactMap { field -> ThresholdProblem? in
      guard let range = field.range else { return nil }
      let value = self[field: field.name]
      guard field.isPositive else {
        let isInside = value >= Double(range.lowerBound) && value <= Double(range.upperBound)
        return isInside ? nil : .outOfRange(field.name, range)
      }
      return value > 0 && value <= Double(range.upperBound) ? nil : .notPositive(field.name, most: range.upperBound)
    }
    let above = Self.table.map(\.name).filter { name in
      name.hasPrefix("leave.") && !(self[field: name] <= self[field: "enter.\(name.dropFirst(6))"])
    }
    return outside + above.map { .field(.aboveEnter, $0) }
  }

  package subscript(field name: String) -> Double {
    get {
      switch Self.path(name) {
      case .real(let path): self[keyPath: path]
      case .whole(let path): Double(self[keyPath: path])
      case .flag(let path): self[keyPath: path] ? 1 : 0
      }
    }
    set {
      switch Self.path(name) {
      case .real(let path): self[keyPath: path] = newValue
      case .whole(let path): self[keyPath: path] = Int(newValue)
      case .flag(let path): self[keyPath: path] = newValue != 0
      }
    }
  }

  /// The values by field name, for the audit log.
  package var audited: [String: String] {
    Dictionary(
      uniqueKeysWithValues: Self.fields.map { name in
        // Weights are stored with seven digits.
        let value = (self[field: name] * 1e6).rounded() / 1e6
        return (name, value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)")
      })
  }
}

extension Threshold: FieldwiseRule {
  package static let prefix = ""
  package static let table: [RuleField<Threshold>] = [
    RuleField("heat", "enter.heat", .real(\.enter.heat), 0...1_000_000, isPositive: true),
    RuleField("evidence", "enter.evidence", .real(\.enter.evidence), 0...1_000_000),
    RuleField("confidence", "enter.confidence", .real(\.enter.confidence), 0...1),
    RuleField("reporters", "enter.reporters", .whole(\.enter.reporters), 0...1_000_000),
    RuleField("networks", "enter.networks", .whole(\.enter.networks), 0...64),
    RuleField("days", "enter.days", .whole(\.enter.days), 0...64),
    RuleField("heat", "leave.heat", .real(\.leave.heat), 0...1_000_000, isPositive: true),
    RuleField("evidence", "leave.evidence", .real(\.leave.evidence), 0...1_000_000),
    RuleField("confidence", "leave.confidence", .real(\.leave.confidence), 0...1),
    RuleField("reporters", "leave.reporters", .whole(\.leave.reporters), 0...1_000_000),
    RuleField("networks", "leave.networks", .whole(\.leave.networks), 0...64),
    RuleField("days", "leave.days", .whole(\.leave.days), 0...64),
    RuleField("review", "review_heat", .real(\.reviewHeat)),
  ]
}

extension SourceRule: FieldwiseRule {
  package static let prefix = "list-"
  package static let table: [RuleField<SourceRule>] = [
    RuleField("weight", "weight", .real(\.weight), 0...10),
    RuleField("complaints", "enter.complaints", .whole(\.enter.complaints), 1...1_000_000),
    RuleField("days", "enter.days", .whole(\.enter.days), 1...64),
    RuleField("complaints", "leave.complaints", .whole(\.leave.complaints), 1...1_000_000),
    RuleField("days", "leave.days", .whole(\.leave.days), 1...64),
    RuleField("blocks", "block.complaints", .whole(\.blockComplaints), 1...1_000_000),
    RuleField("shared", "block.shared", .flag(\.blocksShared)),
  ]
}

extension AttestationRule: FieldwiseRule {
  package static let prefix = "attestation-"
  package static let table = weights.map { RuleField($0.name, $0.name, .real($0.weight), 0...1) }
}

extension IdentifyRule: FieldwiseRule {
  package static let prefix = "label-"
  package static let table: [RuleField<IdentifyRule>] =
    [
      RuleField("heat", "identify.heat_share", .real(\.heatShare), 0...1, isPositive: true),
      RuleField("reporters", "identify.reporters", .whole(\.alone.reporters), 2...64),
      RuleField("reporters", "identify.corroborated_reporters", .whole(\.corroborated.reporters)),
      RuleField("networks", "identify.networks", .whole(\.alone.networks), 2...64),
      RuleField("networks", "identify.corroborated_networks", .whole(\.corroborated.networks)),
      RuleField("days", "identify.days", .whole(\.alone.days), 2...64),
      RuleField("days", "identify.corroborated_days", .whole(\.corroborated.days)),
      RuleField("labels", "identify.labels", .whole(\.labels), 0...1_000_000),
      RuleField("labels", "identify.label_share", .real(\.labelShare), 0...1),
    ] + Mark.allCases.map { RuleField("marks", "mark.\($0.rawValue)", .flag(\.[permits: $0])) }

  private subscript(permits mark: Mark) -> Bool {
    get { identifiedMarks.contains(mark) }
    set { if newValue { identifiedMarks.insert(mark) } else { identifiedMarks.remove(mark) } }
  }
}

/// A rule that differs between two sets.
package struct RuleChange: Sendable, Equatable {
  /// Such as `fraud DE`, `lists`, `list NAME`, `labels`, `apps`, `app NAME`.
  package let subject: String
  /// The values by field; nil for a new rule.
  package let before: [String: String]?
  /// The values by field; nil for a removed rule.
  package let after: [String: String]?
}

extension ThresholdSet {
  /// The rules that differ from rules of a former set, by their subjects.
  /// - Parameter name: the name of an app or list by its id.
  package func changes(since former: ThresholdSet, name: (Int32) -> String) -> [RuleChange] {
    let (before, after) = (former.audited(name), audited(name))
    return Set(before.keys).union(after.keys).sorted().filter { before[$0] != after[$0] }.map {
      RuleChange(subject: $0, before: before[$0], after: after[$0])
    }
  }

  private func audited(_ name: (Int32) -> String) -> [String: [String: String]] {
    var rules = ["labels": identify.audited]
    for rule in thresholds { rules[rule.name] = rule.audited }
    for rule in sources {
      rules[rule.appID == SourceRule.everyList ? "lists" : "list \(name(rule.appID))"] = rule.audited
    }
    for rule in attestation {
      rules[rule.appID == AttestationRule.everyApp ? "apps" : "app \(name(rule.appID))"] = rule.audited
    }
    return rules
  }
}
