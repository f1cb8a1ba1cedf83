// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import Support

/// A case: a number that waits for review.
public struct QueueCase: Sendable, Equatable {
  /// The claim of an account that has the case open.
  public struct Claim: Sendable, Equatable {
    /// Identifies this opening of the case.
    public var id: UUID
    public var account: String
    /// When the claim expires unless it is renewed.
    public var until: Date
    /// When the account opened the case; nil where it is not known.
    public var since: Date?
  }

  /// E.164 digits.
  public var number: Int64
  public var causes: QueueCauses
  /// The urgency; smaller is more urgent; see `Urgency`.
  public var urgency: Int64
  /// ISO 3166 alpha-2; nil for numbers without one.
  public var country: String?
  /// The toxic category with the most heat.
  public var category: ReportCategory?
  /// When the case was opened.
  public var since: Date
  /// The level: 0 everybody, 1 moderators, 2 administrators.
  public var level: Int16
  /// Nil when nobody has the case open.
  public var claim: Claim?
  /// The version, which rises with every change of the causes.
  public var version: Int64
  /// The account that the case was escalated to by name; nil for none.
  public var assignedTo: String?

  /// The case that an action ends, for the audit log and the figures of the team.
  package var auditedFields: [String: String] {
    var fields = [
      "case_since": Timestamp.format(since), "causes": causes.all.map(\.rawValue).joined(separator: ","),
    ]
    fields["case_category"] = category?.slug
    return fields
  }
}

public struct QueueRow: Sendable, Equatable {
  public var item: QueueCase
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  public var reports: Int64
  public var lastReportedAt: Date?
  /// The values that determine its place in the order.
  var order: QueueSums
}

/// Sums of a number's reports as of the last evaluation of its case.
struct QueueSums: Sendable, Equatable {
  /// Stored heat.
  var heat = 0.0
  var reports: Int64 = 0
}

/// A filter of cases; nil matches any value.
public struct QueueFilter: Sendable, Hashable {
  /// ISO 3166 alpha-2; empty for numbers without a country.
  public var country: String?
  /// The category with the most heat.
  public var category: ReportCategory?
  public var cause: QueueCause?
  /// The least age of the case in days, one of ``ages``.
  public var days: Int?
  /// Whether only cases that are assigned to the reader match.
  public var isMine: Bool

  /// The selectable ages, in days.
  public static let ages = [1, 3, 7, 30]

  public init(
    country: String? = nil, category: ReportCategory? = nil, cause: QueueCause? = nil, days: Int? = nil,
    isMine: Bool = false
  ) {
    self.country = country
    self.category = category
    self.cause = cause
    self.days = days
    self.isMine = isMine
  }
}

/// Result of a round of evaluation.
public struct QueueChange: Sendable, Equatable {
  /// Numbers that were evaluated.
  public var judged = 0
  /// Cases that were added or changed.
  public var written = 0
  public var removed = 0

  public init(judged: Int = 0, written: Int = 0, removed: Int = 0) {
    self.judged = judged
    self.written = written
    self.removed = removed
  }

  static func + (left: QueueChange, right: QueueChange) -> QueueChange {
    QueueChange(
      judged: left.judged + right.judged, written: left.written + right.written, removed: left.removed + right.removed)
  }
}

/// An order of the queue's list. Cases of the same value are ordered by number.
public enum QueueOrder: String, CaseIterable, Sendable {
  /// The most urgent first.
  case urgency
  /// The oldest first.
  case age
  /// The most reports first.
  case reports
  /// Highest heat first.
  case heat

  /// The cursor of the first page.
  public var start: QueuePlace {
    switch self {
    case .urgency, .age: QueuePlace(value: -1, number: 0)
    case .reports, .heat: QueuePlace(value: .max, number: .max)
    }
  }

  /// The cursor of the page after a row.
  public func place(of row: QueueRow) -> QueuePlace {
    let value: Int64 =
      switch self {
      case .urgency: row.item.urgency
      case .age: Int64((row.item.since.timeIntervalSince1970 * 1_000_000).rounded())
      case .reports: row.order.reports
      case .heat: Int64(bitPattern: row.order.heat.bitPattern)
      }
    return QueuePlace(value: value, number: row.item.number)
  }
}

/// The cursor of the next page of the queue: the last row's place in the order.
public struct QueuePlace: Sendable, Equatable {
  /// Of the last row: its urgency, its microseconds since 1970, its reports, or the bits of its stored heat.
  public var value: Int64
  public var number: Int64

  public init(value: Int64, number: Int64) {
    self.value = value
    self.number = number
  }

  /// The cursor in an address: `VALUE.NUMBER`.
  public var text: String { "\(value).\(number)" }

  /// - Parameter text: nil is returned for any text that ``text`` does not produce. The pattern is the one of the API.
  public init?(_ text: some StringProtocol) {
    guard let match = String(text).wholeMatch(of: /(-?[0-9]{1,18}|[1-8][0-9]{18})\.([0-9]{1,15})/),
      let value = Int64(match.1), let number = Int64(match.2)
    else { return nil }
    self.init(value: value, number: number)
  }

  /// The time of a cursor by age, within the years 1970 to 2970.
  var time: Date {
    let seconds = Double(min(max(value, 0), 31_556_952_000_000_000)) / 1_000_000
    return Date(timeIntervalSince1970: seconds)
  }

  /// The stored heat of a cursor by heat; infinite on the first page.
  var heat: Double {
    let heat = Double(bitPattern: UInt64(bitPattern: value))
    return heat.isFinite ? heat : .infinity
  }
}

/// A page of the queue's list with everything that it shows.
public struct QueueListing: Sendable {
  public var rows: [QueueRow]
  public var facts: [Int64: QueueRowFacts]
  /// Interrupted bulks that the worker may finish.
  public var unfinished: [BulkRun]
  /// The saved filters that the worker sees, its own first.
  public var savedFilters: [SavedFilter]
}

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
  public var days = ComplaintDays()
  /// The newest comment of the last ``CaseStore/days`` days; nil for none.
  public var comment: NewestComment?

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
  /// conditions of lists are left out, for others the conditions of reporters.
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
