// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The figures of a period for the public. Decisions, answers, reversals and rights are counts of the audit log.
public struct TransparencyReport: Sendable, Equatable, Encodable {
  /// Listings or decisions with the same category, treatment and automation.
  public struct Group: Sendable, Equatable, Encodable {
    /// The slug of the category; empty for a name alone.
    public var category: String
    public var treatment: Decision.Treatment
    /// Whether no person decided, and how many there are.
    public var automated: Bool, count: Int

    public init(category: String, treatment: Decision.Treatment, automated: Bool, count: Int) {
      (self.category, self.treatment, self.automated, self.count) = (category, treatment, automated, count)
    }
  }

  public struct Appeals: Sendable, Equatable, Encodable {
    /// Appeals that were filed, and the objections among them.
    public var filed = 0, objections = 0
    /// Answers, and rejections that were undone.
    public var upheld = 0, rejected = 0, undone = 0
    /// The median time from filing to answer, in seconds; nil without answers.
    public var medianSeconds: Double?
  }

  public struct Source: Sendable, Equatable, Encodable {
    /// Its name, and the listings of numbers that it had.
    public var name: String, listings: Int
    /// Its part of all listings, 0 to 1.
    public var share: Double
    /// The part of its decided numbers that decisions confirm, 0 to 1; nil without decisions, and for an imported list.
    public var precision: Double?

    public init(name: String, listings: Int, share: Double, precision: Double?) {
      (self.name, self.listings, self.share, self.precision) = (name, listings, share, precision)
    }
  }

  /// Calls that were blocked because of a list, with noise, and the bound of the error in 95 of 100 cases.
  public struct Stopped: Sendable, Equatable, Encodable {
    public var calls: Int64, error: Int64

    /// Nil where no day may be shown.
    public init?(_ figures: RemediationFigures) {
      (calls, error) = (figures.stopped, figures.error)
      if error == 0 { return nil }
    }
  }

  /// The first and the last day, in UTC.
  public var from: String, to: String
  /// Reports that were made, including withdrawn ones.
  public var reports = 0
  /// Listings that began, changed or got a later decision, and decisions.
  public var listings: [Group] = [], decisions: [Group] = []
  /// Decisions that ended by expiry; those that a person undid, and upheld appeals.
  public var expired = 0, reversals = 0
  public var appeals = Appeals()
  /// Nil where no day of the period is complete and has enough installations.
  public var stopped: Stopped?
  /// Decisions with a second opinion.
  public var reviewed = 0
  /// The agreement of authors and reviewers by the coefficient, at most 1; nil where it is undefined.
  public var agreement: Double?, coefficient: String?
  /// Those with most listings first.
  public var sources: [Source] = []
  /// Uses of rights by the action of the audit log, such as `right.erase`.
  public var rights: [String: Int] = [:]

  public init(_ period: Range<Date>) {
    (from, to) = ("\(CodedValue(day: period.lowerBound))", "\(CodedValue(day: period.upperBound - 1))")
  }

  /// Counts events of the audit log.
  /// - Parameter category: of a decision; empty for none.
  public mutating func count(_ action: String, category: String, isByProgram: Bool, _ count: Int) {
    switch action {
    case "decision.block", "decision.identify", "decision.allow":
      guard let treatment = Decision.Treatment(rawValue: String(action.dropFirst(9))) else { return }
      decisions.append(Group(category: category, treatment: treatment, automated: isByProgram, count: count))
    case "decision.undo": reversals += count
    case "decision.expire": expired += count
    case "appeal.uphold": (appeals.upheld, reversals) = (appeals.upheld + count, reversals + count)
    case "appeal.reject": appeals.rejected += count
    case "appeal.undo": appeals.undone += count
    case _ where action.hasPrefix("right."): rights[action, default: 0] += count
    default: break
    }
  }
}
