// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer

extension FieldwiseRule {
  /// The heads of the columns of ``cells(_:)``.
  static func columns(_ texts: Localizer) -> [String] { lines.map { texts("thresholds.\($0.kind)") } }

  /// The limits to enter and to leave the list, one cell for each row of the form, without line breaks: `3 / 1.5`. A
  /// narrow window shows the column's name with each value.
  func cells(_ texts: Localizer) -> [TemplateRecord] {
    zip(Self.columns(texts), Self.lines).map { column, line in
      [
        "column": column,
        "figure": line.fields.map { texts.plain(self[field: $0]) }.joined(separator: "\u{202F}/\u{202F}"),
      ]
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
