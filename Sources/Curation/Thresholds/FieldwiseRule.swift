// SPDX-License-Identifier: Apache-2.0

/// A field of a rule, read and written as a number.
package enum RuleField<Rule> {
  case real(WritableKeyPath<Rule, Double>)
  case whole(WritableKeyPath<Rule, Int>)
  /// 1 for true.
  case flag(WritableKeyPath<Rule, Bool>)
}

/// A rule that forms, previews and audit events read by field: a threshold, or the weight of an imported list.
package protocol FieldwiseRule: Equatable {
  /// The rows of the form: the key of a row's text, and its fields to enter and to leave the list.
  static var lines: [(kind: String, fields: [String])] { get }
  /// The prefix of its message keys: `thresholds.KIND` and `thresholds.list-KIND`.
  static var prefix: String { get }
  /// The field of a name of ``lines``.
  static func field(_ name: String) -> RuleField<Self>
  var problems: [ThresholdProblem] { get }
}

extension FieldwiseRule {
  package static var fields: [String] { lines.flatMap(\.fields) }

  package static func isWhole(_ name: String) -> Bool {
    if case .real = field(name) { false } else { true }
  }

  package subscript(field name: String) -> Double {
    get {
      switch Self.field(name) {
      case .real(let path): self[keyPath: path]
      case .whole(let path): Double(self[keyPath: path])
      case .flag(let path): self[keyPath: path] ? 1 : 0
      }
    }
    set {
      switch Self.field(name) {
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
  package static let lines: [(kind: String, fields: [String])] =
    ["heat", "evidence", "confidence", "reporters", "networks", "days"].map { ($0, ["enter.\($0)", "leave.\($0)"]) }
    + [("review", ["review_heat"])]

  package static func field(_ name: String) -> RuleField<Threshold> {
    let bar: WritableKeyPath<Threshold, ThresholdLimits> = name.hasPrefix("leave.") ? \.leave : \.enter
    return switch name.dropFirst(6) {
    case "heat": .real(bar.appending(path: \.heat))
    case "evidence": .real(bar.appending(path: \.evidence))
    case "confidence": .real(bar.appending(path: \.confidence))
    case "reporters": .whole(bar.appending(path: \.reporters))
    case "networks": .whole(bar.appending(path: \.networks))
    case "days": .whole(bar.appending(path: \.days))
    default: .real(\.reviewHeat)
    }
  }
}

extension SourceRule: FieldwiseRule {
  package static let prefix = "list-"
  package static let lines: [(kind: String, fields: [String])] = [
    ("weight", ["weight"]), ("complaints", ["enter.complaints", "leave.complaints"]),
    ("days", ["enter.days", "leave.days"]), ("blocks", ["block.complaints"]), ("shared", ["block.shared"]),
  ]

  package static func field(_ name: String) -> RuleField<SourceRule> {
    switch name {
    case "enter.complaints": .whole(\.enter.complaints)
    case "leave.complaints": .whole(\.leave.complaints)
    case "enter.days": .whole(\.enter.days)
    case "leave.days": .whole(\.leave.days)
    case "block.complaints": .whole(\.blockComplaints)
    case "block.shared": .flag(\.blocksShared)
    default: .real(\.weight)
    }
  }
}

extension AttestationRule: FieldwiseRule {
  package static let prefix = "attestation-"
  package static var lines: [(kind: String, fields: [String])] { weights.map { ($0.name, [$0.name]) } }

  package static func field(_ name: String) -> RuleField<AttestationRule> {
    .real(weights.first { $0.name == name }?.weight ?? \.unattested)
  }
}

extension IdentifyRule: FieldwiseRule {
  package static let prefix = "label-"
  package static let lines: [(kind: String, fields: [String])] =
    [("heat", ["identify.heat_share"])]
    + ["reporters", "networks", "days"].map { ($0, ["identify.\($0)", "identify.corroborated_\($0)"]) }
    + [("labels", ["identify.labels", "identify.label_share"])]
    + [("marks", Mark.allCases.map { "mark.\($0.rawValue)" })]

  package static func field(_ name: String) -> RuleField<IdentifyRule> {
    if name.hasPrefix("mark."), let mark = Mark(rawValue: String(name.dropFirst(5))) { return .flag(\.[permits: mark]) }
    return switch name {
    case "identify.heat_share": .real(\.heatShare)
    case "identify.reporters": .whole(\.alone.reporters)
    case "identify.networks": .whole(\.alone.networks)
    case "identify.days": .whole(\.alone.days)
    case "identify.corroborated_reporters": .whole(\.corroborated.reporters)
    case "identify.corroborated_networks": .whole(\.corroborated.networks)
    case "identify.corroborated_days": .whole(\.corroborated.days)
    case "identify.labels": .whole(\.labels)
    default: .real(\.labelShare)
    }
  }

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
