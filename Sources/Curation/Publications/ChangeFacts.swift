// SPDX-License-Identifier: Apache-2.0

/// Facts that explain a change of a number between two publications: decisions between them, and the present state.
public struct ChangeFacts: Sendable, Equatable {
  /// The newest decision between the two; nil where there was none.
  public var decision: Decision.Treatment?
  /// Whether a decision was undone between the two.
  public var hasUndone = false
  public var hasAppealUpheld = false
  /// The reason of a revocation between the two; nil where there was none.
  public var revocation: String?
  /// Whether a range that contains it was approved or rejected between the two.
  public var isRangeDecided = false
  public var protection: ProtectionReason?
  public var isHeld = false
  /// The cause of the present listing; nil where it is not listed, or only by a directory.
  public var cause: ListedNumber.Cause?
  /// The version of the thresholds that made the difference; nil where the version before gives the same result.
  public var thresholds: Int32?
  public var isReported = false

  public init() {}

  /// The reason why the number was listed, removed or renamed: the strongest that applies.
  /// - Parameter hasLeft: whether it was removed.
  public func reason(hasLeft: Bool) -> ChangeReason {
    if hasLeft {
      if let protection { return .protected(protection) }
      if hasAppealUpheld { return .appeal }
    }
    if let decision, hasLeft == (decision == .allow) || decision == .identify { return .decision(decision) }
    if hasUndone { return .undone }
    if let revocation { return .revocation(revocation) }
    if isRangeDecided { return .range }
    if hasLeft, isHeld { return .held }
    if let thresholds { return .thresholds(thresholds) }
    if hasLeft { return isReported ? .cooled : .directory }
    if cause == .range { return .range }
    return cause == .reports ? .reports : .directory
  }
}

/// The reason why a number is in one publication's pack and not in another's, or has another name.
public enum ChangeReason: Sendable, Equatable {
  case decision(Decision.Treatment)
  case undone
  /// An appeal of its owner was upheld.
  case appeal
  /// A revocation, with its reason.
  case revocation(String)
  /// A range that contains it was approved or rejected.
  case range
  case protected(ProtectionReason)
  case held
  /// Another version of the thresholds.
  case thresholds(Int32)
  /// Its reports now meet the threshold, or give it another category.
  case reports
  /// Its heat has decayed, or the pack was full.
  case cooled
  /// A business directory, or a recipe.
  case directory

  /// The code of the reason, for messages and tests.
  public var name: String {
    switch self {
    case .decision(let treatment): "decision_\(treatment.rawValue)"
    case .undone: "undone"
    case .appeal: "appeal"
    case .revocation: "revocation"
    case .range: "range"
    case .protected: "protected"
    case .held: "held"
    case .thresholds: "thresholds"
    case .reports: "reports"
    case .cooled: "cooled"
    case .directory: "directory"
    }
  }
}
