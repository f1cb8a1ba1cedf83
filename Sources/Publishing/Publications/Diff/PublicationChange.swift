public import CallerPack

/// What one night's pack says otherwise of a number than another's.
public struct PublicationChange: Sendable, Equatable {
  /// What happened.
  public enum Kind: String, Sendable, CaseIterable {
    /// It is new.
    case entered
    /// It is gone.
    case left
    /// It has another label, or does something else.
    case relabelled
  }

  /// What happened.
  public var kind: Kind
  /// As the earlier pack has it; nil for one that has entered.
  public var before: PackEntry?
  /// As the later pack has it; nil for one that has left.
  public var after: PackEntry?

  /// E.164 digits.
  public var number: Int64 { after?.number ?? before?.number ?? 0 }

  /// - Parameters: at least one of them is there, and both are of one number.
  /// - Returns: nil where nothing changed.
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

/// How many numbers of a pack changed between two nights.
public struct ChangeTotals: Sendable, Equatable {
  /// New ones.
  public var entered = 0
  /// Those that are gone.
  public var left = 0
  /// Those with another label or role.
  public var relabelled = 0
  /// Those that are the same.
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
