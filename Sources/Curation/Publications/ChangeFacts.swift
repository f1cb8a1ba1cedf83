/// What was decided about a number between two publications, and what stands: what a difference of two nights is explained
/// by.
public struct ChangeFacts: Sendable, Equatable {
  /// The newest decision between the two; nil where there was none.
  public var decision: Decision.Treatment?
  /// Whether a decision was taken back between the two.
  public var hasUndone = false
  /// Whether an appeal was upheld between the two.
  public var hasAppealUpheld = false
  /// Why it was taken out, or put in, before its night; nil where it was not.
  public var revocation: String?
  /// Whether a block around it was approved or rejected between the two.
  public var isRangeDecided = false
  /// Why it may never be published; nil where it may.
  public var protection: ProtectionReason?
  /// Whether it is kept back for a moderator.
  public var isHeld = false
  /// Why the newest publication lists it; nil where it does not, or only by a directory.
  public var cause: ListedNumber.Cause?
  /// The version of thresholds that made the difference; nil where the one in force before says the same.
  public var thresholds: Int32?
  /// Whether anybody has reported it.
  public var isReported = false

  /// Nothing.
  public init() {}

  /// Why the number entered, left or changed its name: the strongest reason there is.
  /// - Parameter hasLeft: whether it is gone.
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

/// Why a number is in one night's pack and not in another's, or under another name.
public enum ChangeReason: Sendable, Equatable {
  /// A moderator decided.
  case decision(Decision.Treatment)
  /// A decision was taken back.
  case undone
  /// Its owner appealed and was right.
  case appeal
  /// It was taken out, or put in, by itself; for this reason.
  case revocation(String)
  /// A block of numbers around it was approved or rejected.
  case range
  /// It is protected, for this reason.
  case protected(ProtectionReason)
  /// It is kept back as the work of a brigade.
  case held
  /// Another version of the thresholds.
  case thresholds(Int32)
  /// Its reports are enough now, or make it something else.
  case reports
  /// Its reports have cooled, or there was no room for it any more.
  case cooled
  /// A business directory, or a recipe.
  case directory

  /// Its name, as texts and tests know it.
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
