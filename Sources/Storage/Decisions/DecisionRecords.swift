// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// Result of recording a decision.
public enum DecisionOutcome: Sendable, Equatable {
  /// The decision is new and committed.
  case recorded
  /// The same decision was stored already.
  case duplicate
  /// The number has another decision of this id; nothing changed.
  case conflict
}

/// Result of undoing a decision.
public enum UndoOutcome: Sendable, Equatable {
  /// The decision is no longer in force; the newest one before it that was not undone is in force again.
  case undone
  /// The decision had been undone before.
  case alreadyUndone
  /// The number has no such decision.
  case notFound
}

/// An event in a number's history of decisions.
public struct DecisionEvent: Sendable, Equatable {
  /// The kind of event.
  public enum Kind: Sendable, Equatable {
    /// A decision was made.
    case decision(Decision.Treatment)
    /// The decision of this id was undone.
    case undo(UUID)
  }

  /// The id of the decision or of the undoing.
  public let id: UUID
  /// The kind of event.
  public let kind: Kind
  /// The label that phones show.
  public let label: String?
  /// The number's category.
  public let category: ReportCategory?
  /// The public reason.
  public let reason: String?
  /// A note for moderators only.
  public let note: String?
  /// The account that decided.
  public let decidedBy: String
  /// The time of the event.
  public let time: Date
  /// When the decision expires; nil for never. Of an undoing: when the decision that it ended had expired; nil for an
  /// undoing by a person.
  public let expiresAt: Date?
}

/// The case that a decision ended.
struct DecidedCase: Sendable, Equatable {
  /// The start of the wait.
  var since: Date
  /// The causes of the case.
  var causes: QueueCauses
  /// The level of the case.
  var level: Int16
}

/// The decision in force that a moderator saw before deciding.
public enum ExpectedDecision: Sendable, Equatable {
  /// Any decision, or none.
  case any
  /// The decision of this id; nil: none.
  case this(UUID?)
}

/// The reason why a decision was refused.
public enum DecisionError: Error, Equatable, CustomStringConvertible {
  /// The number may not be published, for this reason.
  case protected(ProtectionReason)
  /// Another decision is in force than the moderator saw.
  case stale

  /// The cause and the remedy, in plain English.
  public var description: String {
    switch self {
    case .stale:
      "Somebody else has decided about the number meanwhile. Look at it again."
    case .protected(let reason):
      """
      The number is protected (\(reason.code.name)). It can be neither blocked nor identified. If that is wrong, take \
      the protection away first with: ringfence protect remove
      """
    }
  }
}
