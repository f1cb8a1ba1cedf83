// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A range of numbers that were used together, with its review.
public struct ProposedRange: Sendable, Equatable {
  /// The state of the review.
  public enum State: String, Sendable, CaseIterable {
    /// Waiting for a moderator.
    case proposed
    /// Published with all its numbers.
    case approved
    /// Not published as a range, and not proposed again.
    case rejected
  }

  /// The numbers.
  public let range: NumberRange
  /// The state of the review.
  public let state: State
  /// The category of its calls.
  public let category: ReportCategory
  /// Numbers with complaints at the last detection.
  public let members: Int
  /// Sum of the stored heat of its numbers; read it through `Decay`.
  public let heat: Double
  /// When it was first proposed.
  public let proposedAt: Date
  /// The account that decided; nil while it is proposed.
  public let decidedBy: String?
  /// The reason.
  public let reason: String?
}
