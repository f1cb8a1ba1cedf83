// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Score {
  /// This is the only place that decides a listing by reports.
  public func evaluate(by thresholds: ThresholdSet, in overrides: OverrideState = OverrideState()) -> Evaluation {
    evaluate(by: thresholds, in: overrides) { overrides.country }
  }

  /// Evaluates the score with a country that is looked up only when a threshold depends on it.
  ///
  /// Each treatment is evaluated without the sources whose ceiling is lower, so that they help no reporter over a limit. The
  /// category comes from the complaints that list the number: of the sources, if its reporters alone do not.
  public func evaluate(
    by thresholds: ThresholdSet, in overrides: OverrideState, country: () -> String?
  ) -> Evaluation {
    let leading = category(by: thresholds)
    var evaluation = evaluation(as: leading, by: thresholds, in: overrides, country: country)
    if lists.contains(where: { $0.complaints > 0 && mayList($0, thresholds, .identify) }),
      let listed = categoryOfLists, listed != leading
    {
      let other = self.evaluation(as: listed, by: thresholds, in: overrides, country: country)
      if other.ceiling > evaluation.ceiling || other.ceiling == evaluation.ceiling && !evaluation.isByReports {
        evaluation = other
      }
    }
    evaluation.verdict = verdict(evaluation, overrides)
    return evaluation
  }

  private func evaluation(
    as category: ReportCategory?, by thresholds: ThresholdSet, in overrides: OverrideState, country: () -> String?
  ) -> Evaluation {
    let (blocking, identifying) = (without(below: .block, thresholds), without(below: .identify, thresholds))
    var evaluation = Evaluation(
      verdict: .quiet, category: category, threshold: nil, isListed: isListed, conditions: [], meetsThreshold: false,
      reviewHeat: without(below: .review, thresholds).heat)
    if evaluation.reviewHeat > 0 { evaluation.ceiling = .review }
    guard let category, let threshold = thresholds.threshold(for: category, country: country) else { return evaluation }
    evaluation.threshold = threshold
    evaluation.isCorroborated = isCorroborated(by: thresholds)
    evaluation.identifyConditions = labelConditions(by: thresholds, threshold)
    // A source may have listed a number that it names or named: its reports enter the list then.
    let isByReports = lists.isEmpty
    let blockBars = (threshold.bar(listed: isBlocked && isByReports), threshold.bar(listed: isBlocked))
    let bars = (threshold.bar(listed: isListed && isByReports), threshold.bar(listed: isListed))
    let isLabeled = overrides.reportCeiling >= .identify && evaluation.identifyConditions.allSatisfy(\.isMet)
    if !calls.isMisused, let support = blocking.support(by: thresholds, blockBars, .block, overrides) {
      (evaluation.ceiling, evaluation.isByReports) = (.block, support == .reports)
    } else if let support = identifying.support(by: thresholds, bars, .identify, overrides) {
      (evaluation.ceiling, evaluation.isByReports) = (.identify, support == .reports)
    } else if isLabeled {
      (evaluation.ceiling, evaluation.isIdentifiedByReports, evaluation.isByReports) = (.identify, true, true)
    }
    evaluation.conditions =
      evaluation.ceiling == .block
      ? blocking.conditions(by: thresholds, evaluation.isByReports ? blockBars.0 : blockBars.1)
      : identifying.conditions(by: thresholds, evaluation.isByReports ? bars.0 : bars.1)
    evaluation.meetsThreshold = evaluation.ceiling >= .identify
    return evaluation
  }

  /// The complaints that meet a treatment's conditions.
  private enum Support {
    case reports, sources
  }

  /// The complaints that meet a treatment's conditions, by the limits for reports and those for sources; nil for none. Reports
  /// meet them by heat, evidence, confidence, reporters, networks and days, unless a hold keeps them from the treatment.
  /// Sources meet them alone, with their own heat and evidence, and the limits of one that may trigger the treatment.
  private func support(
    by thresholds: ThresholdSet, _ bars: (reports: ThresholdLimits, sources: ThresholdLimits),
    _ treatment: SourceCeiling,
    _ overrides: OverrideState
  ) -> Support? {
    if overrides.reportCeiling >= treatment, (always(bars.reports) + people(bars.reports)).allSatisfy(\.isMet) {
      return .reports
    }
    guard withoutReporters.always(bars.sources).allSatisfy(\.isMet) else { return nil }
    return lists.contains { meets($0, thresholds, treatment) } ? .sources : nil
  }

  /// The conditions of a threshold: first of all complaints, then of the reporters, then of each source that may
  /// list the number alone.
  private func conditions(by thresholds: ThresholdSet, _ bar: ThresholdLimits) -> [ListingCondition] {
    always(bar) + people(bar)
      + lists.filter { mayList($0, thresholds, .identify) }.flatMap {
        asked(of: $0, thresholds.rule(forSource: $0.appID).bar(listed: isListed))
      }
  }

  /// The conditions from which reports identify a number that they do not block; see ``IdentifyRule``. Sums and days are
  /// only the reporters'.
  private func labelConditions(by thresholds: ThresholdSet, _ threshold: Threshold) -> [ListingCondition] {
    let isCorroborated = isCorroborated(by: thresholds)
    let bar = thresholds.identify.limits(
      threshold, listed: isListed && lists.isEmpty, isCorroborated: isCorroborated)
    let reported = without { _ in true }
    return reported.always(bar) + reported.people(bar)
  }

  /// Whether a source that may open a case names the number too.
  public func isCorroborated(by thresholds: ThresholdSet) -> Bool {
    lists.contains { $0.complaints > 0 && mayList($0, thresholds, .review) }
  }

  /// The category of the evaluation, with the most heat. Where a suspended source complains, or one with a low ceiling and no list
  /// may list the number, it is the one with the most heat that has reporters, so that the source does not choose it.
  private func category(by thresholds: ThresholdSet) -> ReportCategory? {
    let complaining = lists.filter { $0.complaints > 0 }
    guard complaining.contains(where: { ceiling(of: $0, thresholds) < .identify }),
      complaining.contains(where: { thresholds.suspended.contains($0.appID) })
        || !lists.contains(where: { meets($0, thresholds, .identify) })
    else { return leading }
    return parts.filter { $0.category.isToxic && $0.reporters > 0 && $0.heat > 0 }
      .min { ($1.heat, $0.category.rawValue) < ($0.heat, $1.category.rawValue) }?.category ?? leading
  }

  /// The category of the lists' complaints: the one with the most heat that reporters do not explain, where each vote has
  /// the mean heat of all votes. So reporters who are held do not choose it.
  private var categoryOfLists: ReportCategory? {
    let toxic = parts.filter { $0.category.isToxic && $0.heat > 0 }
    let votes = toxic.reduce(0) { $0 + $1.reporters }
    let vote = votes > 0 ? max(0, heat - lists.reduce(0) { $0 + $1.heat }) / Double(votes) : 0
    func rest(_ part: Part) -> Double { part.heat - vote * Double(part.reporters) }
    return toxic.min { (rest($1), $0.category.rawValue) < (rest($0), $1.category.rawValue) }?.category
  }

  /// Whether a list alone may trigger a treatment.
  private func meets(_ list: List, _ thresholds: ThresholdSet, _ treatment: SourceCeiling) -> Bool {
    let isThere = treatment == .block ? isBlocked : isListed
    return mayList(list, thresholds, treatment)
      && asked(of: list, thresholds.rule(forSource: list.appID).bar(listed: isThere)).allSatisfy(\.isMet)
  }

  private func mayList(_ list: List, _ thresholds: ThresholdSet, _ treatment: SourceCeiling) -> Bool {
    thresholds.rule(forSource: list.appID).weight > 0 && ceiling(of: list, thresholds) >= treatment
  }

  /// The strongest treatment that a list can trigger for this number: a block needs enough complaints.
  private func ceiling(of list: List, _ thresholds: ThresholdSet) -> SourceCeiling {
    let ceiling = thresholds.ceiling(ofSource: list.appID)
    let isFew = list.complaints < thresholds.rule(forSource: list.appID).blockComplaints
    return ceiling == .block && (isFew || isLabeled(list, thresholds)) ? .identify : ceiling
  }

  /// Whether a list that may block others labels this number, because it belongs to no place, or a directory names it: a
  /// business is hit by a wrong block, and complaints are about those who show its number.
  private func isLabeled(_ list: List, _ thresholds: ThresholdSet) -> Bool {
    isNamed || isShared && !thresholds.rule(forSource: list.appID).blocksShared
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
    let isHeld = overrides.isHeld || overrides.isJudged && overrides.reportCeiling == .nothing
    if overrides.isHeld || isHeld && !evaluation.meetsThreshold { return .held }
    if evaluation.meetsThreshold { return isListed ? .listed : .candidate }
    return evaluation.needsReview ? .needsReview : .quiet
  }
}

/// The source whose ceiling decides about a number.
public struct SourceLimit: Sendable, Equatable {
  /// The source's id in `apps`.
  public var appID: Int32
  public var ceiling: SourceCeiling
  public var isSuspended: Bool
  /// Whether it may block other numbers, and not one that belongs to no place.
  public var isOfShared = false
  /// Whether it may block other numbers, and not one that an imported directory names.
  public var isOfNamed = false
}

extension Score {
  /// The source whose ceiling decides: without ceilings, a stronger treatment would be possible. Of several sources that
  /// complain, the one with the highest ceiling. Nil where no ceiling decides.
  /// - Parameter country: ISO 3166 alpha-2 of the number's country.
  public func sourceLimit(by thresholds: ThresholdSet, country: String?) -> SourceLimit? {
    let sources = lists.filter {
      $0.complaints > 0 && (thresholds.ceiling(ofSource: $0.appID) < .block || isLabeled($0, thresholds))
    }.map(\.appID)
    var free = self
    (free.isShared, free.isNamed) = (false, false)
    let overrides = OverrideState(country: country)
    guard !sources.isEmpty,
      evaluate(by: thresholds, in: overrides).outcome
        < free.evaluate(by: thresholds.withoutCeilings, in: overrides).outcome
    else { return nil }
    return sources.map { source in
      let ceiling = thresholds.ceiling(ofSource: source)
      return SourceLimit(
        appID: source, ceiling: min(ceiling, .identify), isSuspended: thresholds.suspended.contains(source),
        isOfShared: ceiling == .block && !isNamed, isOfNamed: ceiling == .block && isNamed)
    }.max { ($0.ceiling, $1.appID) < ($1.ceiling, $0.appID) }
  }

  /// The score without the complaints of sources whose ceiling is below a treatment.
  public func without(below ceiling: SourceCeiling, _ thresholds: ThresholdSet) -> Score {
    without { self.ceiling(of: $0, thresholds) < ceiling }
  }

  private var withoutReporters: Score {
    var score = self
    score.heat = lists.reduce(0) { $0 + $1.heat }
    score.evidence = lists.reduce(0) { $0 + $1.evidence }
    score.confidence = Confidence.wilsonLowerBound(toxic: score.evidence, legitimate: legitimate)
    return score
  }

  private func without(_ isLeftOut: (List) -> Bool) -> Score {
    let left = lists.filter { $0.complaints > 0 && isLeftOut($0) }
    guard !left.isEmpty else { return self }
    var score = self
    // Stored sums round differently.
    score.heat = max(0, left.reduce(heat) { $0 - $1.heat })
    score.evidence = max(0, left.reduce(evidence) { $0 - $1.evidence })
    if score.heat < 1e-6 * heat { score.heat = 0 }
    if score.evidence < 1e-6 * evidence { score.evidence = 0 }
    score.confidence = Confidence.wilsonLowerBound(toxic: score.evidence, legitimate: legitimate)
    score.lists.removeAll { isLeftOut($0) }
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
