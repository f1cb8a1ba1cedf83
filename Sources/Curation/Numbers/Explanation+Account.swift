extension Explanation {
  /// Everything that explains the number: first what becomes of it, then why.
  public var account: [ExplanationLine] { summary + categories + holds + needs }

  /// The account without what a page shows beside it: complaints by category, the hold's figures, and the conditions.
  public var summary: [ExplanationLine] { decided + [.published(listing)] + reported + weighed + circumstances }

  private var decided: [ExplanationLine] {
    let category = evaluation?.category ?? .other
    switch verdict {
    case .protected: return protection.map { [.protected($0)] } ?? []
    case .decided:
      return (decision.map { [.decided($0, isRevoked: isRevoked, fallback: category)] } ?? [])
        + (decisionReason.map { [.decisionReason($0)] } ?? [])
    case .held: return hold.map { [.held(since: $0.heldAt)] } ?? []
    case .listed: return [.listed(as: category)]
    case .candidate: return [.candidate(for: category)]
    case .watched, .quiet:
      if let range { return [.listed(by: range)] }
      return [verdict == .watched ? .watched : .quiet]
    }
  }

  private var reported: [ExplanationLine] {
    guard let score, let firstReportedAt, let lastReportedAt, score.parts.contains(where: { $0.reports > 0 }) else {
      return [.noReports]
    }
    let legitimate = score.parts.filter { !$0.category.isToxic }.reduce(0) { $0 + $1.reports }
    let all = score.parts.reduce(0) { $0 + $1.reports }
    return [.reports(all, first: firstReportedAt, last: lastReportedAt)]
      + (legitimate > 0 ? [.legitimateReports(legitimate)] : [])
  }

  private var weighed: [ExplanationLine] {
    guard let score, !score.parts.isEmpty else { return [] }
    let hasReporters = weights.full + weights.partial + weights.none > 0
    let weight = ExplanationLine.weight(
      heat: score.heat, evidence: score.evidence, legitimate: score.legitimate)
    return [weight] + (hasReporters ? [.reporters(weights)] : [])
  }

  private var circumstances: [ExplanationLine] {
    var lines: [ExplanationLine] = []
    if isVictim { lines.append(.spoofed) }
    if openAppeals > 0 { lines.append(.openAppeals(openAppeals)) }
    if let range, ![.watched, .quiet].contains(verdict) { lines.append(.approvedRange(range)) }
    return lines
  }

  private var categories: [ExplanationLine] {
    let complaints = (score?.parts ?? []).filter { $0.category.isToxic && $0.reports > 0 }
    return complaints.sorted { $0.heat > $1.heat }.map { .reports($0.reports, of: $0.category) }
  }

  private var holds: [ExplanationLine] { hold.map { [.hold($0.reason)] } ?? [] }

  private var needs: [ExplanationLine] {
    guard let evaluation, let threshold = evaluation.threshold, !evaluation.conditions.isEmpty else { return [] }
    return [.needed(by: threshold, isListed: evaluation.isListed)]
      + evaluation.conditions.map { condition in
        .condition(condition, list: condition.source.map { lists[$0] ?? "\($0)" })
      }
  }
}
