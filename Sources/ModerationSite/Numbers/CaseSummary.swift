// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Storage

/// The summary of a case in one line: reporters, networks, days, and the conditions that are not met.
enum CaseSummary {
  static func record(
    _ explanation: Explanation, _ failing: [ListingCondition], _ texts: Localizer
  ) -> TemplateRecord {
    guard let score = explanation.score, score.parts.contains(where: { $0.reports > 0 }) else {
      return ["parts": [texts("case.summary.none")], "missing": "", "isMet": false]
    }
    let legitimate = score.parts.reduce(0) { $0 + ($1.category.isToxic ? 0 : $1.reporters) }
    let attested = explanation.weights.attested
    let parts = [
      reporters(score, explanation.weights, texts),
      attested > 0 ? texts.count("case.summary.attested", attested) : nil,
      legitimate > 0 ? texts.count("case.summary.legitimate", legitimate) : nil,
      texts.count("case.summary.networks", score.networks), texts.count("case.summary.days", score.days),
    ]
    let names = failing.map { condition in
      let name = explanation.name(of: condition, texts)
      // Nouns have a capital letter within a German sentence.
      return texts.language == .german ? name : name.prefix(1).lowercased() + name.dropFirst()
    }
    return [
      "parts": parts.compactMap { $0 },
      "missing": names.isEmpty ? "" : texts("case.summary.missing", ["conditions": names.joined(separator: ", ")]),
      "isMet": !explanation.conditions.isEmpty && names.isEmpty,
    ]
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

/// Facts that a moderator must know before deciding.
enum CaseWarnings {
  /// The minimum number of reporters for warnings about their similarity.
  private static let minReporters = 3
  /// The minimum share of similar reporters.
  private static let minShare = 0.5

  static func records(_ file: CaseFile, _ texts: Localizer) -> [TemplateRecord] {
    ofOwner(file, texts) + ofReporters(file, texts) + ofHistory(file, texts)
  }

  private static func ofOwner(_ file: CaseFile, _ texts: Localizer) -> [TemplateRecord] {
    var warnings: [TemplateRecord] = []
    if let protection = file.explanation.protection {
      warnings.append(warning("protected", texts.message(protection), texts))
    } else if let near = file.protectedNeighbour {
      warnings.append(
        warning(
          "near", texts("case.warning.near-text", ["number": near.what, "reason": near.reason]), texts))
    }
    if let name = file.names.first {
      let category = name.category.map { " (\($0))" } ?? ""
      let (opening, closing) = texts.language.quotationMarks
      warnings.append(warning("directory", "\(opening)\(name.name)\(closing)\(category), \(name.source)", texts))
    }
    return warnings
  }

  private static func ofReporters(_ file: CaseFile, _ texts: Localizer) -> [TemplateRecord] {
    let (explanation, concentration) = (file.explanation, file.concentration)
    let reporters = explanation.score?.reporters ?? 0
    var warnings: [TemplateRecord] = []
    if let hold = explanation.hold {
      warnings.append(warning("held", texts.message(hold.reason), texts))
    }
    func share(_ kind: String, _ part: Int, of all: Int, _ values: [String: String] = [:]) {
      guard part >= minReporters, Double(part) >= minShare * Double(all) else { return }
      let text = texts(
        "case.warning.\(kind)-text",
        values.merging(["part": texts.number(part), "all": texts.number(all)]) { own, _ in own })
      warnings.append(warning(kind, text, texts))
    }
    share("new", min(explanation.weights.new, reporters), of: reporters)
    share(
      concentration.textCategory == .harassment ? "hidden-text" : "text", concentration.sameText,
      of: max(reporters, concentration.commenting),
      ["text": concentration.text.count > 60 ? "\(concentration.text.prefix(60))…" : concentration.text])
    share("network", concentration.sameNetwork, of: concentration.networked)
    return warnings
  }

  private static func ofHistory(_ file: CaseFile, _ texts: Localizer) -> [TemplateRecord] {
    var warnings: [TemplateRecord] = []
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
      warnings.append(warning("decisions", text, link: "#decisions", texts))
    }
    let open = file.appeals.count { $0.state == .open }
    if open > 0 {
      warnings.append(
        warning("appeal", texts.count("case.warning.appeal-text", open), link: "#decide-title", texts))
    }
    if file.appeals.contains(where: { $0.state == .open && $0.isObjection }) {
      warnings.append(warning("objection", texts("rights.objection-hint"), link: "#decide-title", texts))
    }
    if let last = file.appeals.last(where: { $0.state != .open }) {
      let text = texts.count(
        "case.warning.appeals-text", file.appeals.count - open,
        ["state": texts("case.appeal.\(last.state.rawValue)")])
      warnings.append(warning("appeals", text, link: "#appeals", texts))
    }
    return warnings
  }

  /// - Parameters:
  ///   - kind: a class of the style sheet, too.
  ///   - link: the part of the page with the details; empty for none.
  private static func warning(
    _ kind: String, _ text: String, link: String = "", _ texts: Localizer
  ) -> TemplateRecord {
    ["kind": kind, "title": texts("case.warning.\(kind)"), "text": text, "link": link]
  }
}
