// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A bulk decision: one decision for many numbers.
public struct Bulk: Sendable, Equatable {
  /// The most numbers in a bulk of a page.
  public static let most = 1_000
  /// The most rows in a file.
  public static let maxRows = 100_000

  /// Chosen by the client; the same for every retry.
  public var id: UUID
  public var treatment: Decision.Treatment
  /// The label that phones show; required to identify.
  public var label: String?
  /// The category; nil for the category with the most heat of each number.
  public var category: ReportCategory?
  /// The reason; required except to allow.
  public var reason: String?
  public var worker: Actor
  public var decidedAt: Date
  public var expiresAt: Date?
  /// Whether it replaces decisions in force; otherwise their numbers are left out.
  public var replacesDecisions: Bool
  /// The decision of each number of a file; empty where all numbers have the decision above.
  public var values: [Int64: DecisionValues] = [:]

  public init(
    id: UUID = UUID(), treatment: Decision.Treatment, label: String? = nil, category: ReportCategory? = nil,
    reason: String? = nil, worker: Actor, decidedAt: Date, expiresAt: Date? = nil, replacesDecisions: Bool = false
  ) {
    self.id = id
    self.treatment = treatment
    self.label = label
    self.category = category
    self.reason = reason
    self.worker = worker
    self.decidedAt = decidedAt
    self.expiresAt = expiresAt
    self.replacesDecisions = replacesDecisions
  }

  public func values(of number: Int64) -> DecisionValues {
    values[number]
      ?? DecisionValues(treatment: treatment, label: label, category: category, reason: reason, expiresAt: expiresAt)
  }
}

/// A number of a bulk, with the data that decides whether the bulk applies to it.
public struct BulkItem: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  public var standing: StandingDecision?
  public var decidedBy: String?
  /// Number of decisions and undoings about it so far.
  public var decisionCount = 0
  /// The category with the most heat.
  public var category: ReportCategory?
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  /// Whether the newest publication lists it.
  public var isPublished: Bool
  /// The reason of its protection; a protected number is left out.
  public var protection: ProtectionReason?
  /// The level of its case; 0 where it has none.
  public var level: Int16 = 0
  public var claim: QueueCase.Claim?
  /// Whether its case asks about a range; see ``CaseFile/rangeToDecide``.
  public var isRangeCase = false
  public var isHeld = false
  /// Whether an appeal about it is open; it is left out, because the owner needs an answer.
  public var isAppealed = false
  /// Distinct reporters with a complaint.
  public var reporters = 0

  public var blockRule = BlockRule(isNamed: false, hasProtectedNeighbour: false)
}

/// A bulk decision as recorded, with its progress.
public struct BulkRun: Sendable, Equatable {
  public var id: UUID
  public var account: String
  public var treatment: Decision.Treatment
  /// The label that phones show.
  public var label: String?
  /// The category; nil for the category with the most heat of each number.
  public var category: ReportCategory?
  public var reason: String?
  public var decidedAt: Date
  public var expiresAt: Date?
  /// Number of decisions to make.
  public var numbers: Int
  /// Number of decisions made.
  public var decisions: Int
  /// Chosen numbers without a decision of the bulk, ascending; only of ``BulkStore/find(_:)``.
  public var left: [Int64] = []
  /// Number of decisions that were undone, together or singly; only of ``BulkStore/find(_:)``.
  public var undone = 0
  public var undoneBy: String?
  /// Whether its last heartbeat was after its end, and so belongs to an undoing.
  var isHeartbeatAfterEnd: Bool
  /// Whether it had no heartbeat for ``silence``, by the database clock.
  var isSilent: Bool
  /// Whether all of its batches were processed.
  package var isFinished: Bool
  /// The chosen numbers, ascending.
  package var chosenNumbers: [Int64]
  /// ``BulkItem/decisionCount`` of each number at the start.
  package var decisionCounts: [Int32]
  /// The decisions of a file; nil where all numbers have the decision above.
  package var rowDecisions: BulkRowDecisions?

  public var isOfFile: Bool { rowDecisions != nil }

  /// Seconds without a heartbeat after which a bulk counts as interrupted.
  public static let silence: TimeInterval = 30

  /// Whether it was interrupted and can be finished: its server stopped between two batches.
  public var isUnfinished: Bool { !isFinished && undoneBy == nil && isSilent }

  /// Whether a server makes its decisions now.
  public var isRunning: Bool { !isFinished && undoneBy == nil && !isSilent }

  /// Whether a server may be undoing it now: some decisions were undone, the last of them together and just now.
  public var isBeingUndone: Bool { isHeartbeatAfterEnd && undone > 0 && undoneBy == nil && !isSilent }
}
