public import Curation
public import Foundation

/// Somebody who works through the queue.
public struct QueueWorker: Sendable, Equatable {
  /// The account's name, 1 to 80 characters.
  public var account: String
  /// What the account may do.
  public var role: Role

  /// - Parameters: see the properties.
  public init(account: String, role: Role) {
    self.account = account
    self.role = role
  }

  /// Cases up to this level are shown: 0 triage, 1 moderators, 2 administrators.
  public var level: Int16 {
    switch role {
    case .triage: 0
    case .moderator: 1
    case .administrator: 2
    }
  }

  /// What they did to a number, for the audit log.
  func event(
    _ action: String, _ number: Int64, id: UUID = UUID(), before: [String: String]? = nil,
    after: [String: String]? = nil, reason: String? = nil
  ) -> AuditEvent {
    AuditEvent(
      id: id, actor: account, role: role, action: action, subject: "+\(number)", before: before, after: after,
      reason: reason)
  }
}

/// A number that waits.
public struct QueueCase: Sendable, Equatable {
  /// Who looks at it, and until when without a word from them.
  public struct Claim: Sendable, Equatable {
    /// Of this opening of the case.
    public var id: UUID
    /// The account's name.
    public var account: String
    /// When it runs out.
    public var until: Date
  }

  /// E.164 digits.
  public var number: Int64
  /// Why it waits.
  public var causes: QueueCauses
  /// Ascending; see `Urgency`.
  public var urgency: Int64
  /// ISO 3166 alpha-2; nil for numbers without one.
  public var country: String?
  /// The hottest toxic category.
  public var category: ReportCategory?
  /// Since when.
  public var since: Date
  /// 0 everybody, 1 moderators, 2 administrators.
  public var level: Int16
  /// Nil when nobody looks at it.
  public var claim: Claim?
  /// Rises with every change of the causes.
  public var version: Int64
}

/// A line of the queue's list.
public struct QueueRow: Sendable, Equatable {
  /// The case.
  public var item: QueueCase
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  /// Reports that ever came.
  public var reports: Int64
  /// When the newest report was said; nil where nobody reported it.
  public var lastReportedAt: Date?
}

/// Which cases are wanted; nil: any.
public struct QueueFilter: Sendable, Hashable {
  /// ISO 3166 alpha-2; empty for numbers without a country.
  public var country: String?
  /// The hottest category.
  public var category: ReportCategory?
  /// One of the causes.
  public var cause: QueueCause?
  /// Waiting for so many days at least, one of ``ages``.
  public var days: Int?

  /// The ages that can be asked for, in days.
  public static let ages = [1, 3, 7, 30]

  /// - Parameters: see the properties.
  public init(country: String? = nil, category: ReportCategory? = nil, cause: QueueCause? = nil, days: Int? = nil) {
    self.country = country
    self.category = category
    self.cause = cause
    self.days = days
  }
}

/// Where a page of the queue ends, and the next begins.
public struct QueuePlace: Sendable, Equatable {
  /// Of the last row.
  public var urgency: Int64
  /// Of the last row.
  public var number: Int64

  /// - Parameters: see the properties.
  public init(urgency: Int64, number: Int64) {
    self.urgency = urgency
    self.number = number
  }

  /// Before everything.
  public static let start = QueuePlace(urgency: -1, number: 0)
}

/// What became of a wish to look at a case.
public enum ClaimOutcome: Sendable, Equatable {
  /// It is the worker's until the claim runs out.
  case claimed(QueueCase)
  /// Somebody else looks at it, or it is for others to look at.
  case taken(QueueCase)
  /// It does not wait.
  case notWaiting
}

/// What became of a round of judging.
public struct QueueChange: Sendable, Equatable {
  /// Numbers that were judged.
  public var judged = 0
  /// Cases that came or changed.
  public var written = 0
  /// Cases that wait no more.
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
