/// What the rules say of a number, and why.
public struct Evaluation: Sendable, Equatable {
  /// What is to become of it.
  public var verdict: Verdict
  /// The category it is judged under: the hottest; nil when nobody complains of it.
  public var category: ReportCategory?
  /// The threshold it is held against; nil when there is none for it.
  public var threshold: Threshold?
  /// Whether the leaving side of the threshold was asked, since the last publication lists it; otherwise the entering one.
  public var isListed: Bool
  /// Everything that was asked: first heat, evidence and confidence, all of which it needs; then reporters, networks and
  /// days; then complaints and days of each imported list. See ``meetsThreshold``.
  public var conditions: [Condition]

  /// Whether its reports are enough: all of heat, evidence and confidence, and besides either reporters, networks and
  /// days, or both conditions of one imported list. A verdict of others may still stand before it.
  public var meetsThreshold: Bool
}
