// SPDX-License-Identifier: Apache-2.0

/// A rule that forms, previews and audit events read by field: a threshold, or the weight of an imported list.
package protocol FieldwiseRule: Equatable {
  /// The rows of the form: the key of a row's text, and its fields to enter and to leave the list.
  static var lines: [(kind: String, fields: [String])] { get }
  /// The prefix of its message keys: `thresholds.KIND` and `thresholds.list-KIND`.
  static var prefix: String { get }
  static func isWhole(_ field: String) -> Bool
  subscript(field name: String) -> Double { get set }
  /// All violations, each with its field.
  var problems: [ThresholdProblem] { get }
}

extension FieldwiseRule {
  package static var fields: [String] { lines.flatMap(\.fields) }

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

  package static func isWhole(_ field: String) -> Bool {
    field.hasSuffix("reporters") || field.hasSuffix("networks") || field.hasSuffix("days")
  }

  package subscript(field name: String) -> Double {
    get {
      switch name {
      case "enter.heat": enter.heat
      case "enter.evidence": enter.evidence
      case "enter.confidence": enter.confidence
      case "enter.reporters": Double(enter.reporters)
      case "enter.networks": Double(enter.networks)
      case "enter.days": Double(enter.days)
      case "leave.heat": leave.heat
      case "leave.evidence": leave.evidence
      case "leave.confidence": leave.confidence
      case "leave.reporters": Double(leave.reporters)
      case "leave.networks": Double(leave.networks)
      case "leave.days": Double(leave.days)
      default: reviewHeat
      }
    }
    set {
      switch name {
      case "enter.heat": enter.heat = newValue
      case "enter.evidence": enter.evidence = newValue
      case "enter.confidence": enter.confidence = newValue
      case "enter.reporters": enter.reporters = Int(newValue)
      case "enter.networks": enter.networks = Int(newValue)
      case "enter.days": enter.days = Int(newValue)
      case "leave.heat": leave.heat = newValue
      case "leave.evidence": leave.evidence = newValue
      case "leave.confidence": leave.confidence = newValue
      case "leave.reporters": leave.reporters = Int(newValue)
      case "leave.networks": leave.networks = Int(newValue)
      case "leave.days": leave.days = Int(newValue)
      default: reviewHeat = newValue
      }
    }
  }
}

extension SourceRule: FieldwiseRule {
  package static let prefix = "list-"
  package static let lines: [(kind: String, fields: [String])] = [
    ("weight", ["weight"]), ("complaints", ["enter.complaints", "leave.complaints"]),
    ("days", ["enter.days", "leave.days"]), ("blocks", ["block.complaints"]), ("shared", ["block.shared"]),
  ]

  package static func isWhole(_ field: String) -> Bool { field != "weight" }

  package subscript(field name: String) -> Double {
    get {
      switch name {
      case "enter.complaints": Double(enter.complaints)
      case "leave.complaints": Double(leave.complaints)
      case "enter.days": Double(enter.days)
      case "leave.days": Double(leave.days)
      case "block.complaints": Double(blockComplaints)
      case "block.shared": blocksShared ? 1 : 0
      default: weight
      }
    }
    set {
      switch name {
      case "enter.complaints": enter.complaints = Int(newValue)
      case "leave.complaints": leave.complaints = Int(newValue)
      case "enter.days": enter.days = Int(newValue)
      case "leave.days": leave.days = Int(newValue)
      case "block.complaints": blockComplaints = Int(newValue)
      case "block.shared": blocksShared = newValue != 0
      default: weight = newValue
      }
    }
  }
}

extension AttestationRule: FieldwiseRule {
  package static let prefix = "attestation-"
  package static var lines: [(kind: String, fields: [String])] { weights.map { ($0.name, [$0.name]) } }

  package static func isWhole(_ field: String) -> Bool { false }

  package subscript(field name: String) -> Double {
    get { Self.weights.first { $0.name == name }.map { self[keyPath: $0.weight] } ?? 0 }
    set {
      guard let field = Self.weights.first(where: { $0.name == name }) else { return }
      self[keyPath: field.weight] = newValue
    }
  }
}

extension IdentifyRule: FieldwiseRule {
  package static let prefix = "label-"
  package static let lines: [(kind: String, fields: [String])] =
    [("heat", ["identify.heat_share"])]
    + ["reporters", "networks", "days"].map { ($0, ["identify.\($0)", "identify.corroborated_\($0)"]) }
    + [("labels", ["identify.labels", "identify.label_share"])]
    + [("marks", Mark.allCases.map { "mark.\($0.rawValue)" })]

  package static func isWhole(_ field: String) -> Bool { !field.hasSuffix("share") }

  package subscript(field name: String) -> Double {
    get {
      if let mark = Self.mark(name) { return identifiedMarks.contains(mark) ? 1 : 0 }
      return Self.limit(name).map { Double(self[keyPath: $0]) }
        ?? (name == "identify.heat_share" ? heatShare : labelShare)
    }
    set {
      if let mark = Self.mark(name) {
        if newValue == 0 { identifiedMarks.remove(mark) } else { identifiedMarks.insert(mark) }
      } else if let limit = Self.limit(name) {
        self[keyPath: limit] = Int(newValue)
      } else if name == "identify.heat_share" {
        heatShare = newValue
      } else {
        labelShare = newValue
      }
    }
  }

  private static func mark(_ field: String) -> Mark? {
    field.hasPrefix("mark.") ? Mark(rawValue: String(field.dropFirst(5))) : nil
  }

  private static func limit(_ field: String) -> WritableKeyPath<IdentifyRule, Int>? {
    switch field {
    case "identify.reporters": \.alone.reporters
    case "identify.networks": \.alone.networks
    case "identify.days": \.alone.days
    case "identify.corroborated_reporters": \.corroborated.reporters
    case "identify.corroborated_networks": \.corroborated.networks
    case "identify.corroborated_days": \.corroborated.days
    case "identify.labels": \.labels
    default: nil
    }
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
