// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Localization
import PhoneNumbers
import Storage

/// The summary of a case in one line: reporters, networks, days, and the conditions that are not met.
struct CaseSummary: Encodable {
  let parts: [String]
  /// The conditions that are not met; empty if all are, or if nothing is evaluated.
  let missing: String
  /// Whether the reports meet the threshold.
  let isMet: Bool

  init(_ explanation: Explanation, conditions: [CaseCondition], _ texts: Localizer) {
    guard let score = explanation.score, score.parts.contains(where: { $0.reports > 0 }) else {
      (parts, missing, isMet) = ([texts("case.summary.none")], "", false)
      return
    }
    var parts = [Self.reporters(score, explanation.weights, texts)]
    let legitimate = score.parts.reduce(0) { $0 + ($1.category.isToxic ? 0 : $1.reporters) }
    if legitimate > 0 { parts.append(texts.count("case.summary.legitimate", legitimate)) }
    parts.append(texts.count("case.summary.networks", score.networks))
    parts.append(texts.count("case.summary.days", score.days))
    self.parts = parts
    let names = conditions.filter { !$0.isMet }.map { $0.name.prefix(1).lowercased() + $0.name.dropFirst() }
    missing = names.isEmpty ? "" : texts("case.summary.missing", ["conditions": names.joined(separator: ", ")])
    isMet = !conditions.isEmpty && names.isEmpty
  }

  /// The number of complaining reporters, and how many of them are new.
  private static func reporters(_ score: Score, _ weights: Explanation.Weights, _ texts: Localizer) -> String {
    let count = texts.count("case.summary.reporters", score.reporters)
    guard score.reporters > 0, weights.new > 0 else { return count }
    let new =
      weights.new >= score.reporters
      ? texts("case.summary.all-new") : texts("case.summary.some-new", ["new": texts.number(weights.new)])
    return "\(count), \(new)"
  }
}

/// A fact that a moderator must know before deciding.
struct CaseWarning: Encodable {
  /// The kind, as a class of the style sheet.
  let kind: String
  let title: String
  let text: String
  /// The part of the page with the details; empty for none.
  let link: String

  /// The least number of reporters for warnings about their similarity.
  private static let leastReporters = 3
  /// The least share of similar reporters.
  private static let leastShare = 0.5

  static func all(_ file: CaseFile, _ texts: Localizer) -> [CaseWarning] {
    ofOwner(file, texts) + ofReporters(file, texts) + ofHistory(file, texts)
  }

  private static func ofOwner(_ file: CaseFile, _ texts: Localizer) -> [CaseWarning] {
    var warnings: [CaseWarning] = []
    if let protection = file.explanation.protection {
      warnings.append(CaseWarning("protected", texts.message(protection), texts: texts))
    } else if let near = file.protectedNeighbour {
      warnings.append(
        CaseWarning(
          "near", texts("case.warning.near-text", ["number": near.what, "reason": near.reason]), texts: texts))
    }
    if let name = file.names.first {
      let category = name.category.map { " (\($0))" } ?? ""
      warnings.append(CaseWarning("directory", "“\(name.name)”\(category), \(name.source)", texts: texts))
    }
    return warnings
  }

  private static func ofReporters(_ file: CaseFile, _ texts: Localizer) -> [CaseWarning] {
    let (explanation, concentration) = (file.explanation, file.concentration)
    let reporters = explanation.score?.reporters ?? 0
    var warnings: [CaseWarning] = []
    if let hold = explanation.hold {
      warnings.append(CaseWarning("held", texts.message(hold.reason), texts: texts))
    }
    func share(_ kind: String, _ part: Int, of all: Int, _ values: [String: String] = [:]) {
      guard part >= leastReporters, Double(part) >= leastShare * Double(all) else { return }
      let text = texts(
        "case.warning.\(kind)-text",
        values.merging(["part": texts.number(part), "all": texts.number(all)]) { own, _ in own })
      warnings.append(CaseWarning(kind, text, texts: texts))
    }
    share("new", min(explanation.weights.new, reporters), of: reporters)
    share(
      concentration.textCategory == .harassment ? "hidden-text" : "text", concentration.sameText,
      of: max(reporters, concentration.commenting),
      ["text": concentration.text.count > 60 ? "\(concentration.text.prefix(60))…" : concentration.text])
    share("network", concentration.sameNetwork, of: concentration.networked)
    return warnings
  }

  private static func ofHistory(_ file: CaseFile, _ texts: Localizer) -> [CaseWarning] {
    var warnings: [CaseWarning] = []
    let made = file.decisions.compactMap { event -> (DecisionEvent, Decision.Treatment)? in
      if case .decision(let treatment) = event.kind { (event, treatment) } else { nil }
    }
    if let (last, treatment) = made.last {
      let text = texts.count(
        "case.warning.decisions-text", made.count,
        [
          "decision": texts("case.decided.\(treatment.rawValue)"), "moderator": last.decidedBy,
          "time": texts.day(last.time),
        ])
      warnings.append(CaseWarning("decisions", text, link: "#decisions", texts: texts))
    }
    let open = file.appeals.count { $0.state == .open }
    if open > 0 {
      warnings.append(
        CaseWarning("appeal", texts.count("case.warning.appeal-text", open), link: "#appeals", texts: texts))
    }
    if let last = file.appeals.last(where: { $0.state != .open }) {
      let text = texts.count(
        "case.warning.appeals-text", file.appeals.count - open,
        ["state": texts("case.appeal.\(last.state.rawValue)")])
      warnings.append(CaseWarning("appeals", text, link: "#appeals", texts: texts))
    }
    return warnings
  }

  private init(_ kind: String, _ text: String, link: String = "", texts: Localizer) {
    self.kind = kind
    title = texts("case.warning.\(kind)")
    self.text = text
    self.link = link
  }
}
