// SPDX-License-Identifier: Apache-2.0

/// The evaluation of a number by the rules.
public struct Evaluation: Sendable, Equatable {
  /// The verdict.
  public var verdict: Verdict
  /// The category of the evaluation: the hottest; nil without complaints.
  public var category: ReportCategory?
  /// The threshold that applies; nil when there is none.
  public var threshold: Threshold?
  /// Whether the `leave` limits apply, because the last publication lists it; otherwise the `enter` limits do.
  public var isListed: Bool
  /// All conditions: first heat, evidence and confidence, which are all required; then reporters, networks and days;
  /// then complaints and days of each imported list. See ``meetsThreshold``.
  public var conditions: [ListingCondition]

  /// Whether its reports meet the threshold: all of heat, evidence and confidence, and either reporters, networks and
  /// days, or both conditions of one imported list. Protection, a decision or a hold takes precedence in the verdict.
  public var meetsThreshold: Bool

  /// The most treatment that the number's support can cause: ``SourceCeiling/block`` or ``SourceCeiling/identify`` where
  /// it meets its threshold, otherwise ``SourceCeiling/review``, or ``SourceCeiling/nothing`` for a number that only
  /// sources with this ceiling contain.
  public var ceiling = SourceCeiling.review

  /// Whether the heat is enough for a review.
  func needsReview(_ heat: Double) -> Bool {
    guard let threshold, ceiling >= .review else { return false }
    return heat >= threshold.reviewHeat
  }
}

extension Evaluation {
  /// The imported list of which both conditions are met; nil for none.
  public var meetingList: Int32? { Self.meetingList(conditions) }

  /// Whether a condition is not needed, because an imported list, or the number's reporters, meet an alternative to it.
  public func isReplaced(_ condition: ListingCondition) -> Bool {
    guard !condition.isMet else { return false }
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
