// SPDX-License-Identifier: Apache-2.0

/// A condition of a listing, with the number's value.
public struct ListingCondition: Sendable, Equatable {
  /// The kind of condition.
  public enum Kind: String, Sendable, CaseIterable {
    /// Decayed complaints, half-life 14 days.
    case heat
    /// Decayed complaints, half-life 125 days.
    case evidence
    /// Wilson's lower bound, 0 to 1.
    case confidence
    /// Distinct reporters.
    case reporters
    /// Distinct networks, a lower bound.
    case networks
    /// Distinct days with a complaint.
    case days
    /// Rows of one imported list.
    case listComplaints
    /// Distinct days of one imported list.
    case listDays
  }

  /// The kind of condition.
  public var kind: Kind
  /// The imported list of the condition; nil for all other kinds.
  public var source: Int32?
  /// The number's value, in the unit of the kind.
  public var have: Double
  /// The least value, in the same unit.
  public var need: Double

  /// Whether the condition is met.
  public var isMet: Bool { have >= need }

  /// - Parameters: see the properties.
  public init(kind: Kind, source: Int32? = nil, have: Double, need: Double) {
    self.kind = kind
    self.source = source
    self.have = have
    self.need = need
  }
}
