public import Curation
public import Foundation

/// One decision for many numbers.
public struct Bulk: Sendable, Equatable {
  /// The most numbers.
  public static let most = 1_000

  /// Chosen by whoever asks; the same for every retry.
  public var id: UUID
  /// What is to be done with each.
  public var treatment: Decision.Treatment
  /// What a phone shows; needed to identify.
  public var label: String?
  /// What they are; nil: each one's hottest category.
  public var category: ReportCategory?
  /// Why; needed for all but allowing.
  public var reason: String?
  /// Who decides.
  public var worker: QueueWorker
  /// When.
  public var decidedAt: Date

  /// - Parameters: see the properties.
  public init(
    id: UUID = UUID(), treatment: Decision.Treatment, label: String? = nil, category: ReportCategory? = nil,
    reason: String? = nil, worker: QueueWorker, decidedAt: Date
  ) {
    self.id = id
    self.treatment = treatment
    self.label = label
    self.category = category
    self.reason = reason
    self.worker = worker
    self.decidedAt = decidedAt
  }

  /// The decision of one number. Its id follows from the bulk's and the number, so that a retry makes the same ones.
  /// - Throws: `RuleViolation`.
  public func decision(of number: Int64) throws -> Decision {
    try Decision(
      id: Self.id(bulk: id, number: number), number: number, treatment: treatment, label: label, category: category,
      reason: reason, decidedBy: worker.account, decidedAt: decidedAt)
  }
}

/// What a bulk would do to one number.
public struct BulkItem: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// What stands.
  public var standing: StandingDecision?
  /// Decisions and undoings there were about it, ever.
  public var decisionCount = 0
  /// The hottest category.
  public var category: ReportCategory?
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  /// Whether the newest publication has it.
  public var isPublished: Bool
  /// Why no publication may hold it; such a number is left out unless it is to be allowed.
  public var protection: ProtectionReason?
  /// Where it waits; 0 where it does not.
  public var level: Int16 = 0
  /// Who looks at it.
  public var claim: QueueCase.Claim?

  /// Whether it is not the worker's to decide: it waits for a level above theirs, or somebody else looks at it.
  public func isWithheld(from worker: QueueWorker, at time: Date) -> Bool {
    if level > worker.level { return true }
    guard let claim else { return false }
    return claim.account != worker.account && claim.until > time
  }

  /// Whether a bulk can rule about it at all.
  func isOpen(to bulk: Bulk) -> Bool {
    (bulk.treatment == .allow || protection == nil) && !isWithheld(from: bulk.worker, at: bulk.decidedAt)
  }
}

/// What became of a bulk.
public struct BulkRun: Sendable, Equatable {
  /// The bulk's id.
  public var id: UUID
  /// Who decided.
  public var account: String
  /// What.
  public var treatment: Decision.Treatment
  /// What a phone shows.
  public var label: String?
  /// What they are; nil: each one's hottest category.
  public var category: ReportCategory?
  /// Why.
  public var reason: String?
  /// When.
  public var decidedAt: Date
  /// Decisions it was to make.
  public var numbers: Int
  /// Decisions it made.
  public var decisions: Int
  /// Who has undone it; nil while it stands.
  public var undoneBy: String?
  /// Whether nobody has worked at it for ``silence``, by the database's clock.
  var isSilent: Bool
  /// Whether all of its batches were gone through.
  var isFinished: Bool
  /// The numbers that were to be decided about, ascending.
  var chosenNumbers: [Int64]
  /// ``BulkItem/decisionCount`` of each when it began.
  var decisionCounts: [Int32]

  /// A bulk that says nothing for so many seconds is taken for one that broke off.
  public static let silence: TimeInterval = 30

  /// Whether it broke off and can be finished: its server was killed between two batches.
  public var isUnfinished: Bool { !isFinished && undoneBy == nil && isSilent }

  /// Whether somebody has decided about a number since it began, or has taken a decision back, even if the same one stands.
  func isOvertaken(at item: BulkItem) -> Bool {
    guard let place = chosenNumbers.firstIndex(of: item.number) else { return true }
    return item.decisionCount != Int(decisionCounts[place])
  }

  /// Whether somebody may finish it: its author and administrators may.
  public func canBeFinished(by worker: QueueWorker) -> Bool {
    worker.account == account && worker.role >= .moderator || worker.role >= .administrator
  }
}
