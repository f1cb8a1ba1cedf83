// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// An account that works on the queue.
public struct QueueWorker: Sendable, Equatable {
  /// The account's name, 1 to 80 characters.
  public var account: String
  /// The account's role.
  public var role: Role

  /// - Parameters: see the properties.
  public init(account: String, role: Role) {
    self.account = account
    self.role = role
  }

  /// The highest level of cases that are shown: 0 triage, 1 moderators, 2 administrators.
  public var level: Int16 {
    switch role {
    case .triage: 0
    case .moderator: 1
    case .administrator: 2
    }
  }

  /// The audit event of an action on a number.
  func event(
    _ action: String, _ number: Int64, id: UUID = UUID(), before: [String: String]? = nil,
    after: [String: String]? = nil, reason: String? = nil
  ) -> AuditEvent {
    AuditEvent(
      id: id, actor: account, role: role, action: action, subject: "+\(number)", before: before, after: after,
      reason: reason)
  }
}

/// A case: a number that waits for review.
public struct QueueCase: Sendable, Equatable {
  /// The claim of an account that has the case open.
  public struct Claim: Sendable, Equatable {
    /// Identifies this opening of the case.
    public var id: UUID
    /// The account's name.
    public var account: String
    /// When the claim expires unless it is renewed.
    public var until: Date
  }

  /// E.164 digits.
  public var number: Int64
  /// The causes of the case.
  public var causes: QueueCauses
  /// The urgency; smaller is more urgent; see `Urgency`.
  public var urgency: Int64
  /// ISO 3166 alpha-2; nil for numbers without one.
  public var country: String?
  /// The hottest toxic category.
  public var category: ReportCategory?
  /// When the case was opened.
  public var since: Date
  /// The level: 0 everybody, 1 moderators, 2 administrators.
  public var level: Int16
  /// The claim; nil when nobody has the case open.
  public var claim: Claim?
  /// The version, which rises with every change of the causes.
  public var version: Int64
}

/// A row of the queue's list.
public struct QueueRow: Sendable, Equatable {
  /// The case.
  public var item: QueueCase
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  /// Number of reports so far.
  public var reports: Int64
  /// When the newest report was made; nil for a number without reports.
  public var lastReportedAt: Date?
  /// The values that determine its place in the order.
  var order: QueueSums
}

/// Sums of a number's reports as of the last evaluation of its case.
struct QueueSums: Sendable, Equatable {
  /// Stored heat.
  var heat = 0.0
  /// Reports so far.
  var reports: Int64 = 0
}

/// A filter of cases; nil matches any value.
public struct QueueFilter: Sendable, Hashable {
  /// ISO 3166 alpha-2; empty for numbers without a country.
  public var country: String?
  /// The hottest category.
  public var category: ReportCategory?
  /// A cause that the case must have.
  public var cause: QueueCause?
  /// The least age of the case in days, one of ``ages``.
  public var days: Int?

  /// The selectable ages, in days.
  public static let ages = [1, 3, 7, 30]

  /// - Parameters: see the properties.
  public init(country: String? = nil, category: ReportCategory? = nil, cause: QueueCause? = nil, days: Int? = nil) {
    self.country = country
    self.category = category
    self.cause = cause
    self.days = days
  }
}

/// Result of claiming a case.
public enum ClaimOutcome: Sendable, Equatable {
  /// The worker has the claim until it expires.
  case claimed(QueueCase)
  /// Somebody else has claimed the case, or its level is too high for the worker.
  case taken(QueueCase)
  /// The number has no case.
  case notWaiting
}

/// Result of a round of evaluation.
public struct QueueChange: Sendable, Equatable {
  /// Numbers that were evaluated.
  public var judged = 0
  /// Cases that were added or changed.
  public var written = 0
  /// Cases that were removed.
  public var removed = 0

  /// - Parameters: see the properties.
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
