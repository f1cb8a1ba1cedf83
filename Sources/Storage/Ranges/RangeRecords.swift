public import Curation
public import Foundation

/// A block of numbers that was found to attack together, and what became of it.
public struct ProposedRange: Sendable, Equatable {
  /// Where it stands.
  public enum State: String, Sendable, CaseIterable {
    /// Waits for a moderator.
    case proposed
    /// Published as a whole.
    case approved
    /// Not published as a whole, and not proposed again.
    case rejected
  }

  /// The block.
  public let range: NumberRange
  /// Where it stands.
  public let state: State
  /// What its callers are.
  public let category: ReportCategory
  /// Numbers of it that were complained of when it was last looked at.
  public let members: Int
  /// Stored heat of its numbers together; read it through `Decay`.
  public let heat: Double
  /// When it was first proposed.
  public let proposedAt: Date
  /// Who decided; nil while it is proposed.
  public let decidedBy: String?
  /// Why.
  public let reason: String?
}
