// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation

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

  /// The limits to enter and to leave the list, one cell for each row of the form, without line breaks: `3 / 1.5`.
  func cells(_ texts: Localizer) -> [String] {
    Self.lines.map { line in line.fields.map { texts.plain(self[field: $0]) }.joined(separator: "\u{202F}/\u{202F}") }
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
    ("days", ["enter.days", "leave.days"]),
  ]

  static func isWhole(_ field: String) -> Bool { field != "weight" }

  subscript(field name: String) -> Double {
    get {
      switch name {
      case "enter.complaints": Double(enter.complaints)
      case "leave.complaints": Double(leave.complaints)
      case "enter.days": Double(enter.days)
      case "leave.days": Double(leave.days)
      default: weight
      }
    }
    set {
      switch name {
      case "enter.complaints": enter.complaints = Int(newValue)
      case "leave.complaints": leave.complaints = Int(newValue)
      case "enter.days": enter.days = Int(newValue)
      case "leave.days": leave.days = Int(newValue)
      default: weight = newValue
      }
    }
  }
}
