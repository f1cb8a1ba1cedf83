// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A bulk decision: one decision for many numbers.
public struct Bulk: Sendable, Equatable {
  /// The most numbers in a bulk.
  public static let most = 1_000

  /// Chosen by the client; the same for every retry.
  public var id: UUID
  /// The treatment of each number.
  public var treatment: Decision.Treatment
  /// The label that phones show; required to identify.
  public var label: String?
  /// The category; nil for the hottest category of each number.
  public var category: ReportCategory?
  /// The reason; required except to allow.
  public var reason: String?
  /// The account that decides.
  public var worker: QueueWorker
  /// When it was decided.
  public var decidedAt: Date
  /// When the decisions expire; nil for never.
  public var expiresAt: Date?

  /// - Parameters: see the properties.
  public init(
    id: UUID = UUID(), treatment: Decision.Treatment, label: String? = nil, category: ReportCategory? = nil,
    reason: String? = nil, worker: QueueWorker, decidedAt: Date, expiresAt: Date? = nil
  ) {
    self.id = id
    self.treatment = treatment
    self.label = label
    self.category = category
    self.reason = reason
    self.worker = worker
    self.decidedAt = decidedAt
    self.expiresAt = expiresAt
  }

  /// Checks the rule for allowing numbers.
  /// - Throws: `RuleViolation` for the first number that the bulk may not allow.
  public func check(_ items: [BulkItem]) throws(RuleViolation) {
    guard treatment == .allow else { return }
    for item in items where item.isOpen(to: self) {
      try item.allowRule.check(reason: reason, role: worker.role)
    }
  }

  /// The numbers that the bulk would block and that `BlockRule` guards.
  public func guarded(_ items: [BulkItem]) -> [Int64] {
    guard treatment == .block else { return [] }
    return items.filter { $0.isOpen(to: self) && $0.blockRule.isGuarded }.map(\.number)
  }

  /// The decision for one number. Its id is derived from the bulk's id and the number, so that a retry makes the same
  /// decisions.
  /// - Throws: `RuleViolation`.
  public func decision(of number: Int64) throws -> Decision {
    try Decision(
      id: Self.id(bulk: id, number: number), number: number, treatment: treatment, label: label, category: category,
      reason: reason, decidedBy: worker.account, decidedAt: decidedAt, expiresAt: expiresAt)
  }
}

/// A number of a bulk, with the data that decides whether the bulk applies to it.
public struct BulkItem: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The decision in force.
  public var standing: StandingDecision?
  /// Number of decisions and undoings about it so far.
  public var decisionCount = 0
  /// The hottest category.
  public var category: ReportCategory?
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  /// Whether the newest publication lists it.
  public var isPublished: Bool
  /// The reason of its protection; a protected number is left out unless the bulk allows it.
  public var protection: ProtectionReason?
  /// The level of its case; 0 where it has none.
  public var level: Int16 = 0
  /// The claim on its case.
  public var claim: QueueCase.Claim?
  /// Whether a rule against brigading holds it.
  public var isHeld = false
  /// Whether an appeal about it is open; it is left out, because the owner needs an answer.
  public var isAppealed = false
  /// Distinct reporters with a complaint.
  public var reporters = 0

  /// The rule for allowing it.
  public var allowRule: AllowRule {
    AllowRule(isHeld: isHeld, isListed: isPublished, isAppealed: isAppealed, reporters: reporters)
  }

  /// The rule for blocking it.
  public var blockRule = BlockRule(isNamed: false, hasProtectedNeighbour: false)

  /// Whether the worker may not decide it: its case has a higher level, or somebody else has claimed it.
  public func isWithheld(from worker: QueueWorker, at time: Date) -> Bool {
    if level > worker.level { return true }
    guard let claim else { return false }
    return claim.account != worker.account && claim.until > time
  }

  /// Whether a bulk can apply to it.
  func isOpen(to bulk: Bulk) -> Bool {
    !isAppealed && (bulk.treatment == .allow || protection == nil)
      && !isWithheld(from: bulk.worker, at: bulk.decidedAt)
  }
}

/// A bulk decision as recorded, with its progress.
public struct BulkRun: Sendable, Equatable {
  /// The bulk's id.
  public var id: UUID
  /// The account that decided.
  public var account: String
  /// The treatment.
  public var treatment: Decision.Treatment
  /// The label that phones show.
  public var label: String?
  /// The category; nil for the hottest category of each number.
  public var category: ReportCategory?
  /// The reason.
  public var reason: String?
  /// When it was decided.
  public var decidedAt: Date
  /// When the decisions expire; nil for never.
  public var expiresAt: Date?
  /// Number of decisions to make.
  public var numbers: Int
  /// Number of decisions made.
  public var decisions: Int
  /// The account that undid it; nil while it is in force.
  public var undoneBy: String?
  /// Whether it had no heartbeat for ``silence``, by the database clock.
  var isSilent: Bool
  /// Whether all of its batches were processed.
  var isFinished: Bool
  /// The chosen numbers, ascending.
  var chosenNumbers: [Int64]
  /// ``BulkItem/decisionCount`` of each number at the start.
  var decisionCounts: [Int32]

  /// Seconds without a heartbeat after which a bulk counts as interrupted.
  public static let silence: TimeInterval = 30

  /// Whether it was interrupted and can be finished: its server stopped between two batches.
  public var isUnfinished: Bool { !isFinished && undoneBy == nil && isSilent }

  /// Whether a decision about the number was made or undone since the bulk started, even if the same one is in force.
  func isOvertaken(at item: BulkItem) -> Bool {
    guard let place = chosenNumbers.firstIndex(of: item.number) else { return true }
    return item.decisionCount != Int(decisionCounts[place])
  }

  /// Whether a worker may finish it: its author (moderator or above) and administrators may.
  public func canBeFinished(by worker: QueueWorker) -> Bool {
    worker.account == account && worker.role >= .moderator || worker.role >= .administrator
  }
}
