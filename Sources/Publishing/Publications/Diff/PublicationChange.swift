// SPDX-License-Identifier: Apache-2.0

public import CallerPack

/// The difference of a number between two packs.
public struct PublicationChange: Sendable, Equatable {
  /// A kind of change.
  public enum Kind: String, Sendable, CaseIterable {
    /// The number is new.
    case entered
    /// The number is gone.
    case left
    /// The number has another label or role.
    case relabelled
  }

  /// The kind of change.
  public var kind: Kind
  /// The earlier pack's entry; nil for a new number.
  public var before: PackEntry?
  /// The later pack's entry; nil for a removed number.
  public var after: PackEntry?

  /// E.164 digits.
  public var number: Int64 { after?.number ?? before?.number ?? 0 }

  /// - Parameters: at least one is not nil, and both have the same number.
  /// - Returns: nil if nothing changed.
  init?(before: PackEntry?, after: PackEntry?) {
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, _): kind = .entered
    case (_, nil): kind = .left
    default:
      guard before != after else { return nil }
      kind = .relabelled
    }
    self.before = before
    self.after = after
  }
}

/// Counts of changes of a pack between two publications.
public struct ChangeTotals: Sendable, Equatable {
  /// New numbers.
  public var entered = 0
  /// Removed numbers.
  public var left = 0
  /// Numbers with another label or role.
  public var relabelled = 0
  /// Unchanged numbers.
  public var kept = 0

  /// - Parameters: see the properties.
  public init(entered: Int = 0, left: Int = 0, relabelled: Int = 0, kept: Int = 0) {
    self.entered = entered
    self.left = left
    self.relabelled = relabelled
    self.kept = kept
  }

  mutating func take(_ kind: PublicationChange.Kind?) {
    switch kind {
    case .entered: entered += 1
    case .left: left += 1
    case .relabelled: relabelled += 1
    case nil: kept += 1
    }
  }
}
