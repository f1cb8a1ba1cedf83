public import Curation
public import Foundation

/// What became of a decision that was handed in.
public enum DecisionOutcome: Sendable, Equatable {
  /// It is new and committed.
  case recorded
  /// The same one was there already.
  case duplicate
  /// The number has another decision of this id; nothing changed.
  case conflict
}

/// What became of a wish to undo a decision.
public enum UndoOutcome: Sendable, Equatable {
  /// It stands no more; where an older one was not undone, that one stands again.
  case undone
  /// It had been undone before.
  case alreadyUndone
  /// The number has no such decision.
  case notFound
}

/// One line of a number's history of decisions.
public struct DecisionEvent: Sendable, Equatable {
  /// What happened.
  public enum Kind: Sendable, Equatable {
    /// A decision was made.
    case decision(Decision.Treatment)
    /// The decision of this id was taken back.
    case undo(UUID)
  }

  /// The decision's id, or that of the undoing.
  public let id: UUID
  /// What happened.
  public let kind: Kind
  /// What a phone shows.
  public let label: String?
  /// What the number is.
  public let category: ReportCategory?
  /// Why, for everybody.
  public let reason: String?
  /// For moderators alone.
  public let note: String?
  /// Who did it.
  public let decidedBy: String
  /// When.
  public let time: Date
}

/// What a moderator saw to stand when a decision was made.
public enum ExpectedDecision: Sendable, Equatable {
  /// Whatever stands.
  case any
  /// The decision of this id; nil: none.
  case this(UUID?)
}

/// Why a decision was refused.
public enum DecisionError: Error, Equatable, CustomStringConvertible {
  /// The number may not be published, for this reason.
  case protected(ProtectionReason)
  /// Something else stands by now than whoever decided had seen.
  case stale

  /// What it is, and what to do, in plain English.
  public var description: String {
    switch self {
    case .stale:
      "Somebody else has decided about the number meanwhile. Look at it again."
    case .protected(let reason):
      """
      The number is protected (\(reason.code.rawValue)). It can be neither blocked nor identified. If that is wrong, take \
      the protection away first with: ringfence protect remove
      """
    }
  }
}
