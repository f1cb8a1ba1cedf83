// SPDX-License-Identifier: Apache-2.0

/// The evaluation of a number by the rules.
public struct Evaluation: Sendable, Equatable {
  public var verdict: Verdict
  /// The category of the evaluation, with the most heat; nil without complaints.
  public var category: ReportCategory?
  public var threshold: Threshold?
  /// Whether the `leave` limits apply, because the last publication lists it; otherwise the `enter` limits do.
  public var isListed: Bool
  /// All conditions: first heat, evidence and confidence, which are all required; then reporters, networks and days;
  /// then complaints and days of each imported list. See ``meetsThreshold``.
  public var conditions: [ListingCondition]

  /// The limits from which reports identify the number although they do not block it; see ``IdentifyRule``. Empty
  /// without a threshold.
  public var identifyConditions: [ListingCondition] = []

  /// Whether only reports identify the number, by limits that are lower than its threshold's.
  public var isIdentifiedByReports = false

  /// Whether reports list the number without the help of a source's limits.
  var isByReports = false

  /// Whether a source that may open a case names the number too, so that a label needs less.
  public var isCorroborated = false

  /// Whether its reports meet the threshold: all of heat, evidence and confidence, and either reporters, networks and
  /// days, or both conditions of one imported list; or all of ``identifyConditions``. Protection, a decision or a hold
  /// takes precedence in the verdict.
  public var meetsThreshold: Bool

  /// Decayed complaints that may open a case.
  var reviewHeat: Double

  /// The strongest treatment that the number's support can trigger: ``SourceCeiling/block`` or
  /// ``SourceCeiling/identify`` where it meets its threshold, otherwise ``SourceCeiling/review``, or
  /// ``SourceCeiling/nothing`` where only sources with this ceiling complain.
  public var ceiling = SourceCeiling.nothing

  /// Whether the heat is enough for a review.
  var needsReview: Bool {
    guard let threshold else { return false }
    return reviewHeat >= threshold.reviewHeat
  }
}

extension Evaluation {
  /// The imported list of which both conditions are met; nil for none.
  public var meetingList: Int32? { Self.meetingList(conditions) }

  /// Whether a condition is not needed, because an imported list, or the number's reporters, meet an alternative to it.
  public func isReplaced(_ condition: ListingCondition) -> Bool {
    guard !condition.isMet else { return false }
    if isIdentifiedByReports { return true }
    switch condition.kind {
    case .heat, .evidence, .confidence: return false
    case .reporters, .networks, .days: return meetingList != nil
    case .listComplaints, .listDays:
      return meetingList != nil || conditions.filter(\.kind.isOfReporters).allSatisfy(\.isMet)
    }
  }

  static func meetingList(_ conditions: [ListingCondition]) -> Int32? {
    let lists = Dictionary(grouping: conditions.filter { $0.source != nil }) { $0.source ?? 0 }
    return lists.filter { $0.value.allSatisfy(\.isMet) }.keys.min()
  }
}

extension ListingCondition.Kind {
  /// Whether an imported list can replace the condition.
  var isOfReporters: Bool { self == .reporters || self == .networks || self == .days }
}

/// The verdict about a number. The first case that applies, from the top, is the verdict.
public enum Verdict: String, Sendable, CaseIterable {
  /// It may never be published, whatever is reported.
  case protected
  /// A moderator's decision is in force and alone decides.
  case decided
  /// A rule against brigading holds it; a decision releases it.
  case held
  /// The last publication lists it because of reports, and it meets the `leave` limits: the next one lists it too.
  case listed
  /// The last publication does not list it, and it meets the `enter` limits: the next one lists it.
  case candidate
  /// It is not going to be listed, but its heat reaches the threshold's review heat. A number that has just fallen
  /// below its `leave` limits needs review or is quiet.
  case needsReview = "needs_review"
  /// None of these.
  case quiet
}

/// A condition of a listing, with the number's value.
public struct ListingCondition: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Decayed complaints, half-life 14 days.
    case heat
    /// Decayed complaints, half-life 125 days.
    case evidence
    /// Wilson's lower bound, 0 to 1.
    case confidence
    /// Distinct reporters.
    case reporters
    /// Distinct networks, a lower bound.
    case networks
    /// Distinct days on which a reporter's complaint arrived.
    case days
    /// Rows of one imported list.
    case listComplaints = "list_complaints"
    /// Distinct days of one imported list.
    case listDays = "list_days"
  }

  public var kind: Kind
  /// The imported list of the condition; nil for all other kinds.
  public var source: Int32?
  /// The number's value, in the unit of the kind.
  public var have: Double
  /// The least value, in the same unit.
  public var need: Double

  public var isMet: Bool { have >= need }
}

/// The overrides of a number, which take precedence over its score.
public struct OverrideState: Sendable, Equatable {
  /// ISO 3166 alpha-2 of the number's country; nil when it has none.
  public var country: String?
  public var isProtected: Bool
  public var isDecided: Bool
  /// Whether it is held, so that nothing is published.
  public var isHeld: Bool
  /// The strongest treatment that its reporters can trigger; below ``SourceCeiling/block`` where a hold says so.
  public var reportCeiling: SourceCeiling
  /// Whether the review of a publication judges its reports; see ``BrigadeDetection/judgedSince(_:)``.
  public var isJudged = true

  public init(
    country: String? = nil, isProtected: Bool = false, isDecided: Bool = false, isHeld: Bool = false,
    reportCeiling: SourceCeiling = .block
  ) {
    self.country = country
    self.isProtected = isProtected
    self.isDecided = isDecided
    self.isHeld = isHeld
    self.reportCeiling = reportCeiling
  }
}
