public import Curation
public import Foundation

/// A number that must go out of what is published, or come in, before the next night.
public struct Revocation: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Out of every pack, of a directory too. It stays so while the decision of the same id stands.
    case remove
    /// Out of the packs of listed numbers; a directory may still name it.
    case unlist
    /// Into the packs of listed numbers, under this category, or this label where one is given.
    case add(ReportCategory, label: String?)
  }

  /// The most that one publication carries out.
  public static let mostTogether = 10_000

  /// Its name, chosen by whoever asks: asking twice is asking once.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  /// What is to be done.
  public var action: Action
  /// Why, 1 to 1,000 characters.
  public var reason: String
  /// Who asks, 1 to 80 characters.
  public var requestedBy: String
  /// When.
  public var requestedAt: Date

  /// - Parameters: see the properties.
  public init(
    id: UUID = UUID(), number: Int64, action: Action = .remove, reason: String, requestedBy: String, requestedAt: Date
  ) {
    self.id = id
    self.number = number
    self.action = action
    self.reason = reason
    self.requestedBy = requestedBy
    self.requestedAt = requestedAt
  }
}

extension Revocation {
  /// What makes a decision count at once: moderators' pages and commands ask for it beside an urgent decision.
  /// - Returns: nil for a decision that gives a number a name and nothing else: that waits for the night.
  public init?(carryingOut decision: Decision) {
    let action: Action
    switch decision.treatment {
    case .allow: action = .unlist
    case .block: action = .add(decision.category ?? .other, label: decision.label)
    case .identify: return nil
    }
    self.init(
      id: decision.id, number: decision.number, action: action, reason: decision.reason ?? "A moderator's decision",
      requestedBy: decision.decidedBy, requestedAt: decision.decidedAt)
  }
}

/// What became of a revocation.
public struct RevocationOutcome: Sendable, Equatable {
  /// The publication that carried it out, or found that there was nothing to do; nil where there was none, or not yet.
  public var serial: Int64?
  /// When it was settled; nil while it is open.
  public var settledAt: Date?
  /// Why it could not be carried out.
  public var failure: RevocationFailure?
}
