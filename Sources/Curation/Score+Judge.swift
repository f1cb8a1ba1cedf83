extension Score {
  /// Judges it. The one place where it is decided what is listed.
  /// - Parameters:
  ///   - thresholds: what is asked for.
  ///   - circumstances: the country, and what others have decided.
  public func judge(by thresholds: ThresholdSet, in circumstances: Circumstances = Circumstances()) -> Judgement {
    judge(by: thresholds, in: circumstances) { circumstances.country }
  }

  /// The same with a country that is looked up only where a threshold depends on it.
  public func judge(
    by thresholds: ThresholdSet, in circumstances: Circumstances, country: () -> String?
  ) -> Judgement {
    var judgement = Judgement(
      verdict: .quiet, category: leading, threshold: nil, isListed: isListed, conditions: [], meetsThreshold: false)
    if let leading {
      judgement.threshold = thresholds.threshold(for: leading, country: country)
    }
    if let threshold = judgement.threshold {
      let always = always(threshold.bar(listed: isListed))
      let people = people(threshold.bar(listed: isListed))
      var isKnownToMany = people.allSatisfy(\.isMet)
      judgement.conditions = always + people
      for list in lists {
        let rule = thresholds.rule(forSource: list.appID)
        guard rule.weight > 0 else { continue }
        let asked = asked(of: list, rule.bar(listed: isListed))
        isKnownToMany = isKnownToMany || asked.allSatisfy(\.isMet)
        judgement.conditions += asked
      }
      judgement.meetsThreshold = isKnownToMany && always.allSatisfy(\.isMet)
    }
    judgement.verdict = verdict(judgement, circumstances)
    return judgement
  }

  private func always(_ bar: ThresholdBar) -> [Condition] {
    [
      Condition(kind: .heat, have: heat, need: bar.heat),
      Condition(kind: .evidence, have: evidence, need: bar.evidence),
      Condition(kind: .confidence, have: confidence, need: bar.confidence),
    ]
  }

  private func people(_ bar: ThresholdBar) -> [Condition] {
    [
      Condition(kind: .reporters, have: Double(reporters), need: Double(bar.reporters)),
      Condition(kind: .networks, have: Double(networks), need: Double(bar.networks)),
      Condition(kind: .days, have: Double(days), need: Double(bar.days)),
    ]
  }

  private func asked(of list: List, _ bar: SourceRule.Bar) -> [Condition] {
    [
      Condition(
        kind: .listComplaints, source: list.appID, have: Double(list.complaints), need: Double(bar.complaints)),
      Condition(kind: .listDays, source: list.appID, have: Double(list.days), need: Double(bar.days)),
    ]
  }

  private func verdict(_ judgement: Judgement, _ circumstances: Circumstances) -> Verdict {
    if circumstances.isProtected { return .protected }
    if circumstances.isRuled { return .ruled }
    if circumstances.isHeld { return .held }
    if judgement.meetsThreshold { return isListed ? .listed : .candidate }
    guard let threshold = judgement.threshold, heat >= threshold.watchHeat else { return .quiet }
    return .watched
  }
}
