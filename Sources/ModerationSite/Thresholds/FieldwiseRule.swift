// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer
import Localization
import PageTemplates

/// A rule that a form edits by field: a threshold, or the weight of an imported list.
protocol FieldwiseRule: Equatable {
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
  static var fields: [String] { lines.flatMap(\.fields) }

  /// The values by field name, for the audit log.
  var audited: [String: String] {
    Dictionary(uniqueKeysWithValues: Self.fields.map { ($0, PlainNumber.plain(self[field: $0])) })
  }

  /// The limits to enter and to leave the list, one cell for each row of the form, without line breaks: `3 / 1.5`. A
  /// narrow window shows the column's name with each value.
  func cells(_ texts: Localizer) -> [TemplateRecord] {
    Self.lines.map { line in
      [
        "column": texts("thresholds.\(line.kind)"),
        "figure": line.fields.map { texts.plain(self[field: $0]) }.joined(separator: "\u{202F}/\u{202F}"),
      ]
    }
  }
}

extension Threshold: FieldwiseRule {
  static let prefix = ""
  static let lines: [(kind: String, fields: [String])] =
    ["heat", "evidence", "confidence", "reporters", "networks", "days"].map { ($0, ["enter.\($0)", "leave.\($0)"]) }
    + [("review", ["review_heat"])]

  static func isWhole(_ field: String) -> Bool {
    field.hasSuffix("reporters") || field.hasSuffix("networks") || field.hasSuffix("days")
  }

  subscript(field name: String) -> Double {
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
  static let prefix = "list-"
  static let lines: [(kind: String, fields: [String])] = [
    ("weight", ["weight"]), ("complaints", ["enter.complaints", "leave.complaints"]),
    ("days", ["enter.days", "leave.days"]), ("blocks", ["block.complaints"]),
  ]

  static func isWhole(_ field: String) -> Bool { field != "weight" }

  subscript(field name: String) -> Double {
    get {
      switch name {
      case "enter.complaints": Double(enter.complaints)
      case "leave.complaints": Double(leave.complaints)
      case "enter.days": Double(enter.days)
      case "leave.days": Double(leave.days)
      case "block.complaints": Double(blockComplaints)
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
      default: weight = newValue
      }
    }
  }
}

extension AttestationRule: FieldwiseRule {
  static let prefix = "attestation-"
  static var lines: [(kind: String, fields: [String])] { weights.map { ($0.name, [$0.name]) } }

  static func isWhole(_ field: String) -> Bool { false }

  subscript(field name: String) -> Double {
    get { Self.weights.first { $0.name == name }.map { self[keyPath: $0.weight] } ?? 0 }
    set {
      guard let field = Self.weights.first(where: { $0.name == name }) else { return }
      self[keyPath: field.weight] = newValue
    }
  }
}

extension IdentifyRule: FieldwiseRule {
  static let prefix = "label-"
  static let lines: [(kind: String, fields: [String])] =
    [("heat", ["identify.heat_share"])]
    + ["reporters", "networks", "days"].map { ($0, ["identify.\($0)", "identify.corroborated_\($0)"]) }
    + [("labels", ["identify.labels", "identify.label_share"])]
    + [("marks", Mark.allCases.map { "mark.\($0.rawValue)" })]

  static func isWhole(_ field: String) -> Bool { !field.hasSuffix("share") }

  subscript(field name: String) -> Double {
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

/// The form of a rule: the typed values and an error for each field.
struct RuleForm<Rule: FieldwiseRule> {
  private(set) var values: [String: String]
  private(set) var problems: [String: String] = [:]
  /// The rule's identity; its values are replaced by the typed ones.
  private let blank: Rule

  /// Creates the form with the values in force.
  init(_ rule: Rule, _ texts: Localizer) {
    blank = rule
    values = Dictionary(uniqueKeysWithValues: Rule.fields.map { ($0, texts.typed(rule[field: $0])) })
  }

  /// Creates the form with the values sent.
  /// - Parameter rule: the rule that the form edits; its values do not matter.
  init(_ form: Form, of rule: Rule) {
    blank = rule
    values = Dictionary(uniqueKeysWithValues: Rule.fields.map { ($0, String((form.text($0) ?? "").prefix(40))) })
  }

  /// Creates the form of a rule with the typed values in place of the values of a rule.
  /// - Parameter shown: the rule whose values the typed form had.
  init(_ rule: Rule, keeping typed: Form, typedOver shown: Rule, _ texts: Localizer) {
    self.init(rule, texts)
    for name in Rule.fields {
      guard let text = typed.text(name), text != texts.typed(shown[field: name]) else { continue }
      values[name] = String(text.prefix(40))
    }
  }

  /// Parses the typed rule.
  /// - Parameters:
  /// - present: the rule in force. A value that equals its displayed form keeps its stored precision.
  /// - texts: messages for errors.
  /// - Returns: nil if a value is wrong; `problems` then has a message for each wrong field.
  mutating func rule(present: Rule?, _ texts: Localizer) -> Rule? {
    var rule = blank
    for name in Rule.fields {
      guard let typed = texts.language.figure(values[name] ?? "") else {
        problems[name] = texts(values[name]?.isEmpty == false ? "thresholds.no-number" : "thresholds.needed")
        continue
      }
      guard !Rule.isWhole(name) || typed == typed.rounded() else {
        problems[name] = texts("thresholds.not-whole")
        continue
      }
      // Clamps values that an integer cannot hold; the rule's own check then reports the range.
      let value = min(max(typed, -1_000_000_000), 1_000_000_000)
      let stored = present?[field: name]
      rule[field: name] = stored.flatMap { PlainNumber.plain($0) == PlainNumber.plain(value) ? $0 : nil } ?? value
    }
    for problem in rule.problems where problems[problem.field] == nil {
      // A field is not compared with another field that is wrong itself.
      if let other = Self.measure(of: problem), problems[other] != nil { continue }
      problems[problem.field] = Self.text(of: problem, texts)
    }
    return problems.isEmpty ? rule : nil
  }

  /// The rows of the form: the limits to enter and to leave the list.
  func lines(_ texts: Localizer) -> [TemplateRecord] {
    Rule.lines.map { line in
      [
        "label": texts("thresholds.\(line.kind)"), "hint": texts("thresholds.\(Rule.prefix)hint.\(line.kind)"),
        "fields": line.fields.map { name in
          [
            "id": name.replacing(".", with: "-"), "name": name,
            "label": texts("thresholds.\(Rule.prefix)field.\(name)"), "value": values[name] ?? "",
            "problem": problems[name] ?? "", "mode": Rule.isWhole(name) ? "numeric" : "decimal",
          ] as TemplateRecord
        },
      ]
    }
  }

  /// The field that the rule compares with this one; nil for none.
  private static func measure(of problem: ThresholdProblem) -> String? {
    switch problem.code {
    case .aboveEnter: problem.field.replacing("leave.", with: "enter.")
    case .aboveEnterHeat: "enter.heat"
    default: nil
    }
  }

  private static func text(of problem: ThresholdProblem, _ texts: Localizer) -> String {
    if problem.code == .aboveEnter { return texts("thresholds.above-enter") }
    let kind = Rule.lines.first { $0.fields.contains(problem.field) }?.kind ?? ""
    return texts("thresholds.\(Rule.prefix)range.\(kind)")
  }
}
