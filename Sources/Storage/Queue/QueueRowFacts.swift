// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation

/// The newest comment on a number.
public struct NewestComment: Sendable, Equatable {
  /// Unchecked.
  public var text: String
  /// Of its report.
  public var category: ReportCategory
}

/// Facts about the number of a case, for its row in the list.
public struct QueueRowFacts: Sendable, Equatable {
  /// The kinds of conditions that its reports do not meet, in the order of the evaluation; empty where its reports meet
  /// the threshold, or where it has no complaints.
  public var missing: [ListingCondition.Kind] = []
  /// Distinct reporters whose vote is a complaint.
  public var reporters = 0
  /// Days with complaints.
  public var days = ComplaintDays()
  /// The newest comment of the last ``CaseStore/days`` days; nil for none.
  public var comment: NewestComment?

  /// - Parameters: see the properties.
  public init(
    missing: [ListingCondition.Kind] = [], reporters: Int = 0, days: ComplaintDays = ComplaintDays(),
    comment: NewestComment? = nil
  ) {
    self.missing = missing
    self.reporters = reporters
    self.days = days
    self.comment = comment
  }

  /// - Parameters:
  ///   - record: nil for a number without reports.
  ///   - country: ISO 3166 alpha-2; nil for a number without one.
  init(
    _ record: NumberRecord?, country: String?, comment: NewestComment?, by thresholds: ThresholdSet, at time: Date
  ) {
    self.comment = comment
    guard let record else { return }
    let score = Score(record, at: time)
    let evaluation = score.evaluate(by: thresholds, in: OverrideState(country: country))
    (reporters, days) = (score.reporters, record.days)
    missing = Self.missing(evaluation, hasReporters: score.reporters > 0)
  }

  /// Either reporters, networks and days or an imported list must suffice. For a number that apps have reported the
  /// conditions of lists are left out, for others those of reporters.
  private static func missing(_ evaluation: Evaluation, hasReporters: Bool) -> [ListingCondition.Kind] {
    guard !evaluation.meetsThreshold else { return [] }
    let kinds = Set(
      evaluation.conditions.filter { condition in
        guard !condition.isMet, !evaluation.isReplaced(condition) else { return false }
        switch condition.kind {
        case .heat, .evidence, .confidence: return true
        case .reporters, .networks, .days: return hasReporters || evaluation.conditions.allSatisfy { $0.source == nil }
        case .listComplaints, .listDays: return !hasReporters
        }
      }.map(\.kind))
    return ListingCondition.Kind.allCases.filter { kinds.contains($0) }
  }
}
