import Foundation

extension Explanation {
  /// The account in plain English, a sentence or two an item: first what becomes of the number, then why.
  public var account: [String] {
    [[decided], counted, weighed, asked, aside].flatMap { $0 }
  }

  private var decided: String {
    switch verdict {
    case .protected: "Protected: \(protection ?? ""). No publication holds it, whatever is said of it."
    case .decided: byDecision
    case .held: held
    case .listed: "Listed as \(name). \(since)"
    case .candidate: "Candidate: the next publication lists it as \(name)."
    case .watched where range != nil, .quiet where range != nil: inRange
    case .watched: "Watched: hot enough for a moderator to look, and not to be listed. \(since)"
    case .quiet: "Quiet: there is not enough against it to list it. \(since)"
    }
  }

  private var name: String { evaluation?.category?.label ?? ReportCategory.other.label }

  private var since: String {
    guard let listing else { return "The last publication does not list it." }
    let verb = listing.treatment == .block ? "listed" : "named"
    let aside = listing.treatment == .block ? "" : ", and does not block it"
    return "Publication \(listing.serial) \(verb) it first, on \(Self.day(listing.listedAt))\(aside)."
  }

  private var inRange: String {
    "Listed with its range: it lies in \(range?.text ?? ""), which a moderator approved as a range that calls "
      + "together. Its own reports are not enough to list it. \(since)"
  }

  private var byDecision: String {
    guard let decision else { return "" }
    let what =
      switch decision.treatment {
      case .block: "is blocked as “\(decision.label ?? (decision.category ?? evaluation?.category ?? .other).label)”"
      case .identify: "is identified as “\(decision.label ?? "")” and not blocked"
      case .allow: "is allowed, and no publication holds it"
      }
    let why = decisionReason.map { ": \($0.trimmingSuffix("."))" } ?? ""
    return "A moderator decided on \(Self.day(decision.decidedAt)) that it \(what)\(why). \(since)"
  }

  private var held: String {
    guard let hold else { return "" }
    return
      "Held for a moderator since \(Self.day(hold.heldAt)) by the rule \(hold.rule.rawValue): \(hold.detail) \(since)"
  }

  private var counted: [String] {
    guard let score, let firstReportedAt, let lastReportedAt, score.parts.contains(where: { $0.reports > 0 }) else {
      return ["Nobody has reported it."]
    }
    let complaints = score.parts.filter { $0.category.isToxic && $0.reports > 0 }.sorted { $0.heat > $1.heat }
    let votes = score.parts.filter { !$0.category.isToxic }.reduce(0) { $0 + $1.reports }
    let kinds = complaints.map { "\($0.reports) \($0.category.label.lowercased())" }.joined(separator: ", ")
    let all = score.parts.reduce(0) { $0 + $1.reports }
    return [
      "Reports: \(all)\(complaints.isEmpty ? "" : ", of them \(kinds)"); \(votes) say that it is no nuisance. "
        + "The first is of \(Self.day(firstReportedAt)), the last of \(Self.day(lastReportedAt))."
    ]
  }

  private var weighed: [String] {
    guard let score, !score.parts.isEmpty else { return [] }
    let people = weights.full + weights.partial + weights.none
    var all = [
      "A complaint fades by half every 14 days: together they now weigh \(Self.figure(score.heat)) (heat). "
        + "By half every 125 days it is \(Self.figure(score.evidence)) (evidence), "
        + "against \(Self.figure(score.legitimate)) for the number."
    ]
    if people > 0 {
      all.append(
        "Of \(people) reporters \(weights.full) count in full, \(weights.partial) in part "
          + "(newcomers, or often wrong) and \(weights.none) for nothing.")
    }
    return all
  }

  private var asked: [String] {
    guard let evaluation, let threshold = evaluation.threshold, !evaluation.conditions.isEmpty else { return [] }
    let place = threshold.country.map { "in \($0)" } ?? "in all countries"
    let side = evaluation.isListed ? "to stay listed" : "to be listed"
    let head =
      "What a number needs \(side) as \(threshold.category.label.lowercased()), \(place): heat, evidence and confidence, "
      + "and besides either reporters, networks and days, or enough of one imported list."
    return [head] + evaluation.conditions.map(line)
  }

  private func line(_ condition: Condition) -> String {
    let name =
      switch condition.kind {
      case .listComplaints: "Rows of the list \(listName(condition.source))"
      case .listDays: "Days in the list \(listName(condition.source))"
      default: condition.kind.rawValue.prefix(1).uppercased() + condition.kind.rawValue.dropFirst()
      }
    let (have, need) =
      switch condition.kind {
      case .heat, .evidence: (Self.figure(condition.have), Self.figure(condition.need))
      case .confidence: (Self.percent(condition.have), Self.percent(condition.need))
      default: (String(Int(condition.have)), String(Int(condition.need)))
      }
    return "\(name): \(have), needed \(need): \(condition.isMet ? "met" : "missed")."
  }

  private func listName(_ source: Int32?) -> String { source.flatMap { lists[$0] } ?? "\(source ?? 0)" }

  private var aside: [String] {
    var all: [String] = []
    if isVictim {
      all.append(
        "Most complaints came on one day and its owner has appealed: unless byDecision otherwise it is identified and not blocked."
      )
    }
    if openAppeals > 0 { all.append("Appeals that wait for an answer: \(openAppeals).") }
    if let range, ![.watched, .quiet].contains(verdict) {
      all.append("It lies in \(range.text), which a moderator approved as a range that calls together.")
    }
    return all
  }

  static func figure(_ value: Double) -> String { String(format: "%.2f", value) }
  private static func percent(_ value: Double) -> String { String(format: "%.0f %%", value * 100) }
  static func day(_ date: Date) -> String { String(date.ISO8601Format().prefix(10)) }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> String { last == suffix ? String(dropLast()) : self }
}
