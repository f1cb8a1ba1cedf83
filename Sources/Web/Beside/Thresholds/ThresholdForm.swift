import Curation
import Foundation

/// The form of one threshold: what was typed, and what is wrong with it, field by field.
struct ThresholdForm {
  /// A field of the form, named as `Threshold` names it in its problems.
  struct Field {
    let name: String
    let label: String
    var value: String
    var problem: String
    let isWhole: Bool
    /// Name without a dot, for `id`.
    var id: String { name.replacing(".", with: "-") }
  }

  /// In the order of the form; those of `leave` stand beside those of `enter`.
  static let names = [
    "enter.heat", "leave.heat", "enter.evidence", "leave.evidence", "enter.confidence", "leave.confidence",
    "enter.reporters", "leave.reporters", "enter.networks", "leave.networks", "enter.days", "leave.days", "watch_heat",
  ]

  private(set) var values: [String: String]
  private(set) var problems: [String: String] = [:]
  let category: ReportCategory
  let country: String?

  /// Filled with what is in force.
  init(_ threshold: Threshold, _ texts: Texts) {
    category = threshold.category
    country = threshold.country
    values = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, texts.typed(threshold[field: $0])) })
  }

  /// Filled with what was sent.
  init(_ form: Form, category: ReportCategory, country: String?) {
    self.category = category
    self.country = country
    values = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, String((form.text($0) ?? "").prefix(40))) })
  }

  /// The threshold that was typed.
  /// - Parameters:
  ///   - present: what is in force: a figure that was left as it is shown stays as it is stored.
  ///   - texts: says what is wrong.
  /// - Returns: nil where anything is wrong; every field then says what.
  mutating func threshold(present: Threshold?, texts: Texts) -> Threshold? {
    let bar = ThresholdBar(heat: 1, evidence: 0, confidence: 0, reporters: 0, networks: 0, days: 0)
    var threshold = Threshold(category: category, country: country, enter: bar, leave: bar, watchHeat: 1)
    for name in Self.names {
      guard let value = texts.language.figure(values[name] ?? "") else {
        problems[name] = texts(values[name]?.isEmpty == false ? "thresholds.no-number" : "thresholds.needed")
        continue
      }
      guard !Self.isWhole(name) || value == value.rounded(), abs(value) <= 1_000_000_000 else {
        problems[name] = texts("thresholds.not-whole")
        continue
      }
      let stored = present?[field: name]
      threshold[field: name] = stored.flatMap { Figure.plain($0) == Figure.plain(value) ? $0 : nil } ?? value
    }
    guard problems.isEmpty else { return nil }
    for problem in threshold.problems where problems[problem.field] == nil {
      problems[problem.field] = Self.text(of: problem, texts)
    }
    return problems.isEmpty ? threshold : nil
  }

  func fields(_ texts: Texts) -> [Field] {
    Self.names.map { name in
      Field(
        name: name, label: texts("thresholds.field.\(name)"), value: values[name] ?? "", problem: problems[name] ?? "",
        isWhole: Self.isWhole(name))
    }
  }

  static func isWhole(_ name: String) -> Bool {
    name.hasSuffix("reporters") || name.hasSuffix("networks") || name.hasSuffix("days")
  }

  private static func text(of problem: ThresholdProblem, _ texts: Texts) -> String {
    if problem.rule.contains("that of enter") { return texts("thresholds.above-enter") }
    if problem.field == "watch_heat" { return texts("thresholds.range.watch") }
    let kind = problem.field.split(separator: ".").last.map(String.init) ?? ""
    return texts("thresholds.range.\(kind)")
  }
}

extension Threshold {
  /// A figure by the name of its field.
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
      default: watchHeat
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
      default: watchHeat = newValue
      }
    }
  }

  /// Its figures by the names of their fields, for the trail of who changed what.
  var audited: [String: String] {
    Dictionary(uniqueKeysWithValues: ThresholdForm.names.map { ($0, Figure.plain(self[field: $0])) })
  }
}
