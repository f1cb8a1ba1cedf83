/// The evaluation of a number by the rules.
public struct Evaluation: Sendable, Equatable {
  /// The verdict.
  public var verdict: Verdict
  /// The category of the evaluation: the hottest; nil without complaints.
  public var category: ReportCategory?
  /// The threshold that applies; nil when there is none.
  public var threshold: Threshold?
  /// Whether the `leave` limits apply, because the last publication lists it; otherwise the `enter` limits do.
  public var isListed: Bool
  /// All conditions: first heat, evidence and confidence, which are all required; then reporters, networks and days;
  /// then complaints and days of each imported list. See ``meetsThreshold``.
  public var conditions: [Condition]

  /// Whether its reports meet the threshold: all of heat, evidence and confidence, and either reporters, networks and
  /// days, or both conditions of one imported list. Protection, a decision or a hold takes precedence in the verdict.
  public var meetsThreshold: Bool
}
