// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A number that is kept back for a moderator.
public struct Hold: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// The rule that holds it, with its figures.
  public let reason: HoldReason
  /// When the number was held.
  public let heldAt: Date
  /// Whether a decision has settled it.
  public let isSettled: Bool
}

/// The votes on one number.
public struct NumberVotes: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// One vote for each reporter.
  public internal(set) var votes: [ReporterVote]
}
