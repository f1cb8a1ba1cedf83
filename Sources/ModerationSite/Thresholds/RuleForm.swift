import HTTPServer
import Localization
import Curation

/// The form of a rule: what was typed, and what is wrong with it, field by field.
struct RuleForm<Rule: FieldwiseRule> {
  private(set) var values: [String: String]
  private(set) var problems: [String: String] = [:]
  /// What it is for; its figures are those that are typed.
  private let blank: Rule

  /// Filled with what is in force.
  init(_ rule: Rule, _ texts: Localizer) {
    blank = rule
    values = Dictionary(uniqueKeysWithValues: Rule.fields.map { ($0, texts.typed(rule[field: $0])) })
  }

  /// Filled with what was sent.
  /// - Parameter rule: of what it is a form; its figures do not matter.
  init(_ form: Form, of rule: Rule) {
    blank = rule
    values = Dictionary(uniqueKeysWithValues: Rule.fields.map { ($0, String((form.text($0) ?? "").prefix(40))) })
  }

  /// The rule that was typed.
  /// - Parameters:
  ///   - present: what is in force: a figure that was left as it is shown stays as it is stored.
  ///   - texts: says what is wrong.
  /// - Returns: nil where anything is wrong; every field then says what.
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
      // Far beyond any range, and what an integer holds: the rule says what it may be.
      let value = min(max(typed, -1_000_000_000), 1_000_000_000)
      let stored = present?[field: name]
      rule[field: name] = stored.flatMap { PlainNumber.plain($0) == PlainNumber.plain(value) ? $0 : nil } ?? value
    }
    for problem in rule.problems where problems[problem.field] == nil {
      // Nothing can be held against a field that is wrong itself.
      if let other = Self.measure(of: problem), problems[other] != nil { continue }
      problems[problem.field] = Self.text(of: problem, texts)
    }
    return problems.isEmpty ? rule : nil
  }

  func lines(_ texts: Localizer) -> [ThresholdEditPage.Line] {
    Rule.lines.map { line in
      ThresholdEditPage.Line(
        label: texts("thresholds.\(line.kind)"), hint: texts("thresholds.\(Rule.prefix)hint.\(line.kind)"),
        fields: line.fields.map { name in
          ThresholdEditPage.Input(
            id: name.replacing(".", with: "-"), name: name, label: texts("thresholds.\(Rule.prefix)field.\(name)"),
            value: values[name] ?? "", problem: problems[name] ?? "",
            mode: Rule.isWhole(name) ? "numeric" : "decimal")
        })
    }
  }

  /// The field that the rule holds this one against; nil for none.
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
