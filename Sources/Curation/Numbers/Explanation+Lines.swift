// SPDX-License-Identifier: Apache-2.0

extension Explanation {
  /// All lines that explain the number: first the result, then the reasons.
  public var lines: [ExplanationLine] { summary + categories + holds + needs }

  /// The lines that a page does not show in another form: without complaints by category, the hold's figures, and the conditions.
  public var summary: [ExplanationLine] {
    decided + [.published(listing)] + reported + weighed + usualBursts + circumstances
  }

  private var decided: [ExplanationLine] {
    let category = evaluation?.category ?? .other
    var lines: [ExplanationLine] = []
    switch verdict {
    case .protected: if let protection { lines.append(.protected(protection)) }
    case .decided:
      if let decision { lines.append(.decided(decision, isRevoked: isRevoked, fallback: category)) }
      if let decisionReason { lines.append(.decisionReason(decisionReason)) }
    case .held: if let hold { lines.append(.held(since: hold.heldAt)) }
    case .listed: lines.append(.listed(as: category))
    case .candidate: lines.append(.candidate(for: category))
    case .needsReview, .quiet:
      if let range {
        lines.append(.listed(by: range))
        if let reason = range.reason { lines.append(.rangeReason(reason)) }
      } else if lacksArrivals {
        lines.append(.noArrivals)
      } else {
        lines.append(verdict == .needsReview ? .needsReview(evaluation?.conditions ?? []) : .quiet)
      }
    }
    return lines
  }

  private var reported: [ExplanationLine] {
    guard let score, let firstReportedAt, let lastReportedAt, score.parts.contains(where: { $0.reports > 0 }) else {
      return [.noReports]
    }
    var lines = [ExplanationLine.reports(totals.reports, first: firstReportedAt, last: lastReportedAt)]
    if totals.legitimate > 0 { lines.append(.legitimateReports(totals.legitimate)) }
    return lines
  }

  private var weighed: [ExplanationLine] {
    guard let score, !score.parts.isEmpty else { return [] }
    var lines = [
      ExplanationLine.weight(heat: score.heat, evidence: score.evidence, legitimate: score.legitimate)
    ]
    if totals.reporters > 0 { lines.append(.reporters(weights, of: totals.reporters)) }
    return lines
  }

  private var circumstances: [ExplanationLine] {
    var lines: [ExplanationLine] = []
    if let evaluation, !evaluation.identifyConditions.isEmpty, ![.protected, .decided].contains(verdict) {
      if [.listed, .candidate].contains(verdict), evaluation.isIdentifiedByReports {
        lines.append(.identifiedByReports(score?.reporters ?? 0))
      } else if hold?.ceiling == .identify, hold?.labeledAt == nil, evaluation.identifyConditions.allSatisfy(\.isMet) {
        lines.append(.labelWaits)
      } else if evaluation.ceiling < .identify, !evaluation.identifyConditions.allSatisfy(\.isMet) {
        lines.append(.neededToIdentify(evaluation.identifyConditions))
      }
    }
    if let evaluation, evaluation.isCorroborated, (score?.reporters ?? 0) > 0,
      ![.protected, .decided].contains(verdict)
    {
      lines.append(.corroborated)
    }
    if let sourceLimit { lines.append(.sourceLimit(sourceLimit, name: lists[sourceLimit.appID])) }
    if isVictim { lines.append(.spoofed) }
    if let calls = score?.calls, calls.failed > 0 { lines.append(.failed(calls)) }
    if openAppeals > 0 { lines.append(.openAppeals(openAppeals)) }
    if let range, ![.needsReview, .quiet].contains(verdict) { lines.append(.approvedRange(range)) }
    return lines
  }

  private var categories: [ExplanationLine] {
    let complaints = (score?.parts ?? []).filter { $0.category.isToxic && $0.reports > 0 }
    return complaints.sorted { $0.heat > $1.heat }.map { .reports($0.reports, of: $0.category) }
  }

  private var holds: [ExplanationLine] { hold.map { [ExplanationLine.hold($0.reason)] } ?? [] }

  private var usualBursts: [ExplanationLine] {
    guard hold == nil, let usual else { return [] }
    return [.usual(usual)]
  }

  private var needs: [ExplanationLine] {
    guard let evaluation, let threshold = evaluation.threshold, !evaluation.conditions.isEmpty else { return [] }
    var lines = [ExplanationLine.needed(by: threshold, isListed: evaluation.isListed)]
    for condition in evaluation.conditions {
      lines.append(.condition(condition, list: condition.source.map { self.lists[$0] ?? "\($0)" }))
    }
    return lines
  }
}
