// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A number that must be removed from the published packs, or added, before the next publication.
public struct Revocation: Sendable, Equatable {
  /// The action.
  public enum Action: Sendable, Equatable {
    /// Remove it from every pack, including directory entries, for as long as the decision of the same id is in force.
    case remove
    /// Remove it from the packs of listed numbers; a directory may still name it.
    case unlist
    /// Add it to the packs of listed numbers, under this category and, where given, this label.
    case add(ReportCategory, label: String?)
  }

  /// The most revocations in one publication.
  public static let mostTogether = 10_000

  /// Chosen by the caller; a repeated request with the same id is ignored.
  public var id: UUID
  /// E.164 digits.
  public var number: Int64
  /// The action.
  public var action: Action
  /// The reason, 1 to 1,000 characters.
  public var reason: String
  /// The requesting account, 1 to 80 characters.
  public var requestedBy: String
  /// When it was requested.
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
  /// The revocation that puts an urgent decision into effect at once.
  /// - Returns: nil for a decision that only identifies a number: it waits for the next publication.
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

/// The outcome of a revocation.
public struct RevocationOutcome: Sendable, Equatable {
  /// The publication that carried it out, or found nothing to do; nil while it is open or when it failed.
  public var serial: Int64?
  /// When it was settled; nil while it is open.
  public var settledAt: Date?
  /// The reason why it failed.
  public var failure: RevocationFailure?
}
