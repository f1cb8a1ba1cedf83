import Localization
import Curation
import Foundation

/// What `Explanation.account` says, in the words of a language.
struct CaseExplanation {
  private let explanation: Explanation
  private let texts: Localizer

  init(_ explanation: Explanation, _ texts: Localizer) {
    self.explanation = explanation
    self.texts = texts
  }

  /// First what becomes of the number, then why.
  var sentences: [String] { [[decided, since], counted, weighed, aside].flatMap { $0 }.filter { !$0.isEmpty } }

  /// All of it in sentences, for pages without tables: also what holds the number, and what it needs to be listed.
  var whole: [String] {
    let conditions = CaseCondition.all(explanation, texts).map {
      texts("case.condition-line", ["name": $0.name, "have": $0.have, "need": $0.need, "result": $0.met])
    }
    let held = explanation.hold.map { hold in
      "\(texts("case.held-by", ["rule": texts("case.hold.\(hold.rule.rawValue)"), "day": Self.unbroken(hold.heldAt)])) "
        + (texts.figures(hold.detail) ?? hold.detail)
    }
    let asked = conditions.isEmpty ? [] : [CaseCondition.title(explanation, texts)] + conditions
    return sentences + (held.map { [$0] } ?? []) + asked
  }

  /// What a publication would say of the number if it were made now.
  var tonight: String {
    guard let listed = CaseOutlook(explanation).listed else { return texts("case.tonight.out") }
    let name = listed.label ?? texts.category(listed.category)
    return texts(listed.isBlocked ? "case.tonight.block" : "case.tonight.identify", ["name": name])
  }

  private var name: String { texts.category(explanation.evaluation?.category ?? .other) }

  private var decided: String {
    switch explanation.verdict {
    case .protected: texts("case.says.protected", ["rule": texts.protection(explanation.protection ?? "")])
    case .decided: byDecision
    case .held: texts("case.says.held")
    case .listed: texts("case.says.listed", ["name": name])
    case .candidate: texts("case.says.candidate", ["name": name])
    case .watched where explanation.range != nil, .quiet where explanation.range != nil:
      texts("case.says.range", ["range": explanation.range?.text ?? ""])
    case .watched: texts("case.says.watched")
    case .quiet: texts("case.says.quiet")
    }
  }

  private var byDecision: String {
    guard let decision = explanation.decision else { return "" }
    let label = decision.label ?? texts.category(decision.category ?? explanation.evaluation?.category ?? .other)
    let said = texts(
      "case.says.decided.\(decision.treatment.rawValue)", ["day": Self.unbroken(decision.decidedAt), "label": label])
    return explanation.decisionReason.map { "\(said) \(texts("case.says.reason", ["reason": $0]))" } ?? said
  }

  private var since: String {
    guard let listing = explanation.listing else { return texts("case.since.none") }
    return texts(
      listing.treatment == .block ? "case.since.block" : "case.since.identify",
      ["serial": "\(listing.serial)", "day": Self.unbroken(listing.listedAt)])
  }

  private var counted: [String] {
    guard let score = explanation.score, let first = explanation.firstReportedAt, let last = explanation.lastReportedAt
    else { return [texts("case.unreported")] }
    let votes = score.parts.filter { !$0.category.isToxic }.reduce(0) { $0 + $1.reports }
    let all = score.parts.reduce(0) { $0 + $1.reports }
    return [
      texts.count("case.reported", Int(all)),
      votes > 0 ? texts.count("case.votes", Int(votes)) : "",
      texts("case.first-and-last", ["first": Self.unbroken(first), "last": Self.unbroken(last)]),
    ]
  }

  private var weighed: [String] {
    guard let score = explanation.score, !score.parts.isEmpty else { return [] }
    let weights = explanation.weights
    let people = weights.full + weights.partial + weights.none
    return [
      texts(
        "case.weighed",
        [
          "heat": texts.decimal(score.heat, places: 2), "evidence": texts.decimal(score.evidence, places: 2),
          "legitimate": texts.decimal(score.legitimate, places: 2),
        ]),
      people == 0
        ? ""
        : texts(
          "case.people",
          [
            "full": texts.number(weights.full), "partial": texts.number(weights.partial),
            "none": texts.number(weights.none), "people": texts.number(people),
          ]),
    ]
  }

  private var aside: [String] {
    [
      explanation.isVictim ? texts("case.victim") : "",
      explanation.openAppeals > 0 ? texts.count("case.open-appeals", explanation.openAppeals) : "",
    ]
  }

  /// A day in a sentence, in one piece.
  private static func unbroken(_ date: Date) -> String { String(day(date).map { $0 == "-" ? "\u{2011}" : $0 }) }

  static func day(_ date: Date) -> String { String(PageTime(date).datetime.prefix(10)) }
}
