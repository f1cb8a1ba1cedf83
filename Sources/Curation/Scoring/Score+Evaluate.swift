// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Score {
  /// Evaluates the score. This is the only place that decides a listing by reports.
  /// - Parameters:
  ///   - thresholds: the limits.
  ///   - overrides: the country, protection, decision and hold.
  public func evaluate(by thresholds: ThresholdSet, in overrides: OverrideState = OverrideState()) -> Evaluation {
    evaluate(by: thresholds, in: overrides) { overrides.country }
  }

  /// Evaluates the score with a country that is looked up only when a threshold depends on it.
  public func evaluate(
    by thresholds: ThresholdSet, in overrides: OverrideState, country: () -> String?
  ) -> Evaluation {
    withoutSuspended(by: thresholds).evaluation(by: thresholds, in: overrides, country: country)
  }

  private func evaluation(
    by thresholds: ThresholdSet, in overrides: OverrideState, country: () -> String?
  ) -> Evaluation {
    let leading = category(by: thresholds)
    var evaluation = Evaluation(
      verdict: .quiet, category: leading, threshold: nil, isListed: isListed, conditions: [], meetsThreshold: false,
      ceiling: min(.review, sourceCeiling(by: thresholds) ?? .review))
    if let leading {
      evaluation.threshold = thresholds.threshold(for: leading, country: country)
    }
    if let threshold = evaluation.threshold {
      let always = always(threshold.bar(listed: isListed))
      let people = people(threshold.bar(listed: isListed))
      var listed = people.allSatisfy(\.isMet) ? sourceCeiling(by: thresholds) ?? .block : .nothing
      evaluation.conditions = always + people
      for list in lists {
        let rule = thresholds.rule(forSource: list.appID)
        let ceiling = thresholds.ceiling(ofSource: list.appID)
        // A source that cannot list a number alone is no alternative to reporters.
        guard rule.weight > 0, ceiling >= .identify else { continue }
        let asked = asked(of: list, rule.bar(listed: isListed))
        if asked.allSatisfy(\.isMet) { listed = max(listed, ceiling) }
        evaluation.conditions += asked
      }
      if listed >= .identify, always.allSatisfy(\.isMet) {
        evaluation.meetsThreshold = true
        evaluation.ceiling = listed
      }
    }
    evaluation.verdict = verdict(evaluation, overrides)
    return evaluation
  }

  /// The category of the evaluation: the hottest. Where a suspended source complains, or one with a low ceiling and no list
  /// may list the number, the hottest for which there are reporters, so that the source does not choose it.
  private func category(by thresholds: ThresholdSet) -> ReportCategory? {
    let complaining = lists.filter { $0.complaints > 0 }
    guard complaining.contains(where: { thresholds.ceiling(ofSource: $0.appID) < .identify }),
      complaining.contains(where: { thresholds.suspended.contains($0.appID) })
        || !lists.contains(where: { meets($0, thresholds) })
    else { return leading }
    return parts.filter { $0.category.isToxic && $0.reporters > 0 && $0.heat > 0 }
      .min { ($1.heat, $0.category.rawValue) < ($0.heat, $1.category.rawValue) }?.category ?? leading
  }

  /// Whether a list alone may list the number.
  private func meets(_ list: List, _ thresholds: ThresholdSet) -> Bool {
    let rule = thresholds.rule(forSource: list.appID)
    return rule.weight > 0 && thresholds.ceiling(ofSource: list.appID) >= .identify
      && asked(of: list, rule.bar(listed: isListed)).allSatisfy(\.isMet)
  }

  /// The highest ceiling of the sources that complain about a number without reporters; nil for other numbers.
  private func sourceCeiling(by thresholds: ThresholdSet) -> SourceCeiling? {
    guard reporters == 0 else { return nil }
    return lists.filter { $0.complaints > 0 }.map { thresholds.ceiling(ofSource: $0.appID) }.max()
  }

  private func always(_ bar: ThresholdLimits) -> [ListingCondition] {
    [
      ListingCondition(kind: .heat, have: heat, need: bar.heat),
      ListingCondition(kind: .evidence, have: evidence, need: bar.evidence),
      ListingCondition(kind: .confidence, have: confidence, need: bar.confidence),
    ]
  }

  private func people(_ bar: ThresholdLimits) -> [ListingCondition] {
    [
      ListingCondition(kind: .reporters, have: Double(reporters), need: Double(bar.reporters)),
      ListingCondition(kind: .networks, have: Double(networks), need: Double(bar.networks)),
      ListingCondition(kind: .days, have: Double(days), need: Double(bar.days)),
    ]
  }

  private func asked(of list: List, _ bar: SourceRule.Bar) -> [ListingCondition] {
    [
      ListingCondition(
        kind: .listComplaints, source: list.appID, have: Double(list.complaints), need: Double(bar.complaints)),
      ListingCondition(kind: .listDays, source: list.appID, have: Double(list.days), need: Double(bar.days)),
    ]
  }

  private func verdict(_ evaluation: Evaluation, _ overrides: OverrideState) -> Verdict {
    if overrides.isProtected { return .protected }
    if overrides.isDecided { return .decided }
    if overrides.isHeld { return .held }
    if evaluation.meetsThreshold { return isListed ? .listed : .candidate }
    return evaluation.needsReview(heat) ? .needsReview : .quiet
  }
}

/// The source whose ceiling decides about a number.
public struct SourceLimit: Sendable, Equatable {
  /// The source's id in `apps`.
  public var appID: Int32
  /// Its ceiling.
  public var ceiling: SourceCeiling
  /// Whether it is suspended.
  public var isSuspended: Bool
}

extension Score {
  /// The source whose ceiling decides: without ceilings, a stronger treatment would be possible. Of several sources that
  /// complain, the one with the highest ceiling. Nil where no ceiling decides.
  /// - Parameter country: ISO 3166 alpha-2 of the number's country.
  public func sourceLimit(by thresholds: ThresholdSet, country: String?) -> SourceLimit? {
    let sources = lists.filter { $0.complaints > 0 && thresholds.ceiling(ofSource: $0.appID) < .block }.map(\.appID)
    let overrides = OverrideState(country: country)
    guard !sources.isEmpty,
      evaluate(by: thresholds, in: overrides).outcome < evaluate(by: thresholds.withoutCeilings, in: overrides).outcome
    else { return nil }
    return sources.map {
      SourceLimit(
        appID: $0, ceiling: thresholds.ceiling(ofSource: $0), isSuspended: thresholds.suspended.contains($0))
    }.max { ($0.ceiling, $1.appID) < ($1.ceiling, $0.appID) }
  }

  /// The score without the complaints of suspended sources.
  ///
  /// The stored sums do not have the weight of each source. It is calculated from the source's weight when it was
  /// suspended, and from its complaints as if each of its days had as many: exact for lists, which have one complaint
  /// about a number. A day on which others complained too is left out as well, except for one.
  public func withoutSuspended(by thresholds: ThresholdSet) -> Score {
    guard !thresholds.suspended.isEmpty else { return self }
    var score = self
    for list in lists where thresholds.suspended.contains(list.appID) && list.complaints > 0 {
      let weight = thresholds.weight(ofSource: list.appID) * Double(list.complaints)
      score.heat -= weight * list.share(of: .heat, at: time)
      score.evidence -= weight * list.share(of: .evidence, at: time)
      score.days -= list.days
    }
    guard score != self else { return self }
    score.days = max(min(1, days), score.days)
    (score.heat, score.evidence) = (max(0, score.heat), max(0, score.evidence))
    score.confidence = Confidence.wilsonLowerBound(toxic: score.evidence, legitimate: legitimate)
    return score
  }
}

extension Evaluation {
  /// The treatment by reports that the verdict leads to.
  public var outcome: SourceCeiling {
    switch verdict {
    case .listed, .candidate: ceiling
    case .needsReview: .review
    case .protected, .decided, .held, .quiet: .nothing
    }
  }
}

extension Score.List {
  /// The mean decayed weight of a complaint of weight 1, 0 to 1.
  fileprivate func share(of decay: Decay, at time: Date) -> Double {
    guard let lastDay, let dayBits, dayBits != 0 else { return 0 }
    let places = (0..<64).filter { dayBits & (1 << UInt64($0)) != 0 }
    let sum = places.reduce(0.0) { sum, place in
      let day = Date(timeIntervalSince1970: Double(Int(lastDay) - place) * 86_400)
      return sum + min(1, decay.scale(at: day) / decay.scale(at: time))
    }
    return sum / Double(places.count)
  }
}
