// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One line of the explanation of a number; see ``Explanation/lines``.
public struct ExplanationLine: CodedMessage {
  public enum Code: MessageCode {
    // The verdict.
    case emergencyNumber, shortNumber, invalidNumber, protectedNumber, protectedPattern, blocked, blockedAsCategory
    case identified, allowed, revoked, held, listed, candidate, listedByRange, needsReview, quiet, noArrivals
    // The last publication.
    case notPublished, publishedBlocked, publishedIdentified
    // The decision's reason, reports and their weight.
    case decisionReason, noReports, reports, legitimateReports, categoryReports, weight, reporters, reportersFull
    case reportersNew
    // The hold.
    case holdNewReporters, holdOneWeek, holdOneNetwork, holdOneText, holdSameNumbers, holdOneDay, holdSplit,
      holdUnassigned
    // A burst that holds nothing.
    case usualOneDay, usualOneNetwork, usualOneText
    // Other circumstances.
    case sourceCeilingNothing, sourceCeilingReview, sourceCeilingIdentify, sourceSuspended, sourceLabelsShared,
      sourceLabelsNamed, spoofed, openAppeals, misused, failedCalls
    case approvedRange, rangeReason, identifiedByReports, labelWaits, neededToIdentify, corroborated
    // The conditions of a listing.
    case neededToEnter, neededToEnterInCountry, neededToStay, neededToStayInCountry, conditionHeat, conditionEvidence
    case conditionConfidence, conditionReporters, conditionNetworks, conditionDays, conditionListComplaints
    case conditionListDays
  }

  public let code: Code
  public let values: [String: CodedValue]

  private init(_ code: Code, _ values: [String: CodedValue] = [:]) {
    self.code = code
    self.values = values
  }

  // MARK: The verdict

  /// No publication contains the number.
  public static func protected(_ reason: ProtectionReason) -> ExplanationLine {
    let code: Code =
      switch reason.code {
      case .emergencyNumber: .emergencyNumber
      case .shortNumber: .shortNumber
      case .invalidNumber: .invalidNumber
      case .protectedNumber: .protectedNumber
      case .protectedPattern: .protectedPattern
      }
    return ExplanationLine(code, reason.values)
  }

  /// A moderator has decided.
  /// - Parameters:
  ///   - isRevoked: whether a revocation keeps the number out of every pack.
  ///   - fallback: the category of a blocked number for which the decision has neither label nor category.
  public static func decided(
    _ decision: StandingDecision, isRevoked: Bool, fallback: ReportCategory
  ) -> ExplanationLine {
    var values = ["decided_day": CodedValue(day: decision.decidedAt)]
    switch (decision.treatment, decision.label) {
    case (.allow, _) where isRevoked: return ExplanationLine(.revoked, values)
    case (.allow, _): return ExplanationLine(.allowed, values)
    case (.block, nil):
      values["category"] = CodedValue(decision.category ?? fallback)
      return ExplanationLine(.blockedAsCategory, values)
    case (.block, .some(let label)):
      values["label"] = .text(label)
      return ExplanationLine(.blocked, values)
    case (.identify, let label):
      values["label"] = .text(label ?? "")
      return ExplanationLine(.identified, values)
    }
  }

  /// A rule against brigading holds it; ``hold(_:)`` has the figures.
  public static func held(since time: Date) -> ExplanationLine {
    ExplanationLine(.held, ["since_day": CodedValue(day: time)])
  }

  /// The last publication lists it, and the next one will.
  public static func listed(as category: ReportCategory) -> ExplanationLine {
    ExplanationLine(.listed, ["category": CodedValue(category)])
  }

  /// The next publication lists it.
  public static func candidate(for category: ReportCategory) -> ExplanationLine {
    ExplanationLine(.candidate, ["category": CodedValue(category)])
  }

  /// It is listed with a range, and its own reports are not enough.
  public static func listed(by rule: RangeRule) -> ExplanationLine {
    ExplanationLine(.listedByRange, ["range": .text(rule.range.text)])
  }

  /// Its heat is enough for a review, and not all conditions of a listing are met.
  /// - Parameter conditions: see ``Evaluation/conditions``; conditions of imported lists are an alternative and not counted,
  ///   nor the conditions that a list replaces.
  public static func needsReview(_ conditions: [ListingCondition]) -> ExplanationLine {
    let hasList = Evaluation.meetingList(conditions) != nil
    let needed = conditions.filter { $0.source == nil && !(hasList && $0.kind.isOfReporters) }
    let missed = needed.filter { !$0.isMet }
    return ExplanationLine(
      .needsReview,
      [
        "missed": CodedValue(missed.count), "total": CodedValue(needed.count),
        "conditions": .text(missed.map(\.kind.rawValue).joined(separator: ",")),
      ])
  }

  /// Its heat is below the limit for a review.
  public static let quiet = ExplanationLine(.quiet)

  public static let noArrivals = ExplanationLine(.noArrivals, ["days": .integer(Int64(BrigadeDetection.window))])

  // MARK: Publication, decision, reports

  /// - Parameter listing: nil where the last publication does not contain the number.
  public static func published(_ listing: Explanation.Listing?) -> ExplanationLine {
    guard let listing else { return ExplanationLine(.notPublished) }
    return ExplanationLine(
      listing.treatment == .block ? .publishedBlocked : .publishedIdentified,
      ["serial": "\(listing.serial)", "listed_day": CodedValue(day: listing.listedAt)])
  }

  public static func decisionReason(_ reason: String) -> ExplanationLine {
    ExplanationLine(.decisionReason, ["reason": .text(reason)])
  }

  public static let noReports = ExplanationLine(.noReports)

  /// - Parameter reports: of all categories.
  public static func reports(_ reports: Int64, first: Date, last: Date) -> ExplanationLine {
    ExplanationLine(
      .reports,
      ["reports": CodedValue(reports), "first_day": CodedValue(day: first), "last_day": CodedValue(day: last)])
  }

  public static func legitimateReports(_ reports: Int64) -> ExplanationLine {
    ExplanationLine(.legitimateReports, ["reports": CodedValue(reports)])
  }

  public static func reports(_ reports: Int64, of category: ReportCategory) -> ExplanationLine {
    ExplanationLine(.categoryReports, ["reports": CodedValue(reports), "category": CodedValue(category)])
  }

  /// The decayed weight of all reports; see ``Score``.
  public static func weight(heat: Double, evidence: Double, legitimate: Double) -> ExplanationLine {
    ExplanationLine(
      .weight,
      [
        "heat": .decimal(heat.readable), "evidence": .decimal(evidence.readable),
        "legitimate": .decimal(legitimate.readable),
      ])
  }

  /// - Parameter all: number of reporters; nil for the sum.
  public static func reporters(_ weights: Explanation.Weights, of all: Int? = nil) -> ExplanationLine {
    let sum = weights.full + weights.partial + weights.none
    let all = all ?? sum
    if weights.full == sum { return ExplanationLine(.reportersFull, ["count": CodedValue(all)]) }
    if weights.new == sum { return ExplanationLine(.reportersNew, ["count": CodedValue(all)]) }
    return ExplanationLine(
      .reporters,
      [
        "reporters": CodedValue(all), "full": CodedValue(weights.full), "partial": CodedValue(weights.partial),
        "none": CodedValue(weights.none),
      ])
  }

  // MARK: Hold and other circumstances

  public static func hold(_ reason: HoldReason) -> ExplanationLine {
    let code: Code =
      switch reason.code {
      case .newReporters: .holdNewReporters
      case .oneWeek: .holdOneWeek
      case .oneNetwork: .holdOneNetwork
      case .oneText: .holdOneText
      case .sameNumbers: .holdSameNumbers
      case .oneDay: .holdOneDay
      case .split: .holdSplit
      case .unassigned: .holdUnassigned
      }
    return ExplanationLine(code, reason.values)
  }

  public static func usual(_ usual: Explanation.Usual) -> ExplanationLine {
    let code: Code =
      switch usual.burst.code {
      case .oneDay: .usualOneDay
      case .oneNetwork: .usualOneNetwork
      case .oneText: .usualOneText
      }
    return ExplanationLine(
      code, usual.burst.values.merging(["judged_day": CodedValue(day: usual.judgedAt)]) { old, _ in old })
  }

  /// The ceiling of a source decides.
  /// - Parameter name: the source's name; nil where it is not known.
  public static func sourceLimit(_ limit: SourceLimit, name: String?) -> ExplanationLine {
    let code: Code =
      switch limit.ceiling {
      case _ where limit.isSuspended: .sourceSuspended
      case _ where limit.isOfShared: .sourceLabelsShared
      case _ where limit.isOfNamed: .sourceLabelsNamed
      case .nothing: .sourceCeilingNothing
      case .review: .sourceCeilingReview
      case .identify, .block: .sourceCeilingIdentify
      }
    return ExplanationLine(code, ["source": .text(name ?? "\(limit.appID)")])
  }

  /// Trusted senders say that calls failed verification; see ``VerifiedCalls``.
  public static func failed(_ calls: VerifiedCalls) -> ExplanationLine {
    ExplanationLine(
      calls.isMisused ? .misused : .failedCalls,
      ["failed": CodedValue(calls.failed), "passed": CodedValue(calls.passed)])
  }

  /// Others seem to misuse the number; see ``Spoofing``.
  public static let spoofed = ExplanationLine(.spoofed)

  public static func openAppeals(_ appeals: Int) -> ExplanationLine {
    ExplanationLine(.openAppeals, ["appeals": CodedValue(appeals)])
  }

  /// An approved range contains it, but does not decide about it.
  public static func approvedRange(_ rule: RangeRule) -> ExplanationLine {
    ExplanationLine(.approvedRange, ["range": .text(rule.range.text)])
  }

  public static func rangeReason(_ reason: String) -> ExplanationLine {
    ExplanationLine(.rangeReason, ["reason": .text(reason)])
  }

  /// Its reports identify it and do not block it.
  public static func identifiedByReports(_ reporters: Int) -> ExplanationLine {
    ExplanationLine(.identifiedByReports, ["reporters": CodedValue(reporters)])
  }

  /// Its reports could identify it, and today's labels of its app are used.
  public static let labelWaits = ExplanationLine(.labelWaits)

  /// A source names it too, so that a label needs less.
  public static let corroborated = ExplanationLine(.corroborated)

  /// The limits from which its reports identify it.
  public static func neededToIdentify(_ conditions: [ListingCondition]) -> ExplanationLine {
    func need(_ kind: ListingCondition.Kind) -> Double { conditions.first { $0.kind == kind }?.need ?? 0 }
    return ExplanationLine(
      .neededToIdentify,
      [
        "heat": .decimal(need(.heat).readable), "reporters": CodedValue(Int(need(.reporters))),
        "networks": CodedValue(Int(need(.networks))), "days": CodedValue(Int(need(.days))),
      ])
  }

  // MARK: The conditions of a listing

  /// The heading of the conditions.
  /// - Parameter isListed: whether the `leave` limits apply; otherwise the `enter` limits do.
  public static func needed(by threshold: Threshold, isListed: Bool) -> ExplanationLine {
    var values = ["category": CodedValue(threshold.category)]
    guard let country = threshold.country else {
      return ExplanationLine(isListed ? .neededToStay : .neededToEnter, values)
    }
    values["country"] = .text(country)
    return ExplanationLine(isListed ? .neededToStayInCountry : .neededToEnterInCountry, values)
  }

  /// - Parameter list: the name of the imported list that the condition is about; nil for all other kinds.
  public static func condition(_ condition: ListingCondition, list: String?) -> ExplanationLine {
    let code: Code =
      switch condition.kind {
      case .heat: .conditionHeat
      case .evidence: .conditionEvidence
      case .confidence: .conditionConfidence
      case .reporters: .conditionReporters
      case .networks: .conditionNetworks
      case .days: .conditionDays
      case .listComplaints: .conditionListComplaints
      case .listDays: .conditionListDays
      }
    var values: [String: CodedValue] = ["result": condition.isMet ? "met" : "missed"]
    switch condition.kind {
    case .heat, .evidence, .confidence:
      values["have"] = .decimal(condition.have.readable)
      values["need"] = .decimal(condition.need.readable)
    case .reporters, .networks, .days, .listComplaints, .listDays:
      values["have"] = CodedValue(Int64(condition.have))
      values["need"] = CodedValue(Int64(condition.need))
    }
    if let list { values["list"] = .text(list) }
    return ExplanationLine(code, values)
  }
}

extension CodedValue {
  init(_ category: ReportCategory) { self = .text(category.slug) }

  /// The UTC day of a time in ISO 8601.
  init(day time: Date) { self = .text(String(time.ISO8601Format().prefix(10))) }
}
