/// Tells a brigade from a nuisance: complaints that many people were called by a number look otherwise than complaints that
/// somebody has arranged.
///
/// A complaint is **suspect** when its reporter is a newcomer, shares a network with two others who complain of the number,
/// or shares a text with two others. The number is held when at least five reporters are suspect and the others are too
/// few to say the same: fewer than three, or fewer than a quarter of the suspects. Others are all whose word stands and is
/// not suspect, also those who complained before the last 30 days: a number with a past is held by none of these rules.
/// All marks are weighed together, so that a brigade gains nothing by being partly one thing and partly another; the rule
/// that is named is the one with most suspects.
///
/// A number without such marks is held when ten or more reporters complained on one day and hardly anybody before or
/// after; and a number that some call a nuisance and others do not is held whoever they are.
///
/// What is usual proves nothing: see ``BrigadeBaseline``.
public enum BrigadeDetection {
  /// How far back reports are looked at, in days; what came before is a number's past.
  public static let window: Int32 = 30
  /// The fewest suspects of a burst.
  public static let leastSuspects = 5
  /// The fewest reporters who share a network or a text.
  public static let leastCluster = 3
  /// The fewest others that outweigh any burst of suspects up to four times their number.
  public static let leastOthers = 3
  /// So many suspects need one other each.
  public static let suspectsAnOther = 4
  /// The fewest reporters of one day that are a burst whoever they are.
  public static let leastOnOneDay = 10
  /// So many of one day need one of another day each.
  public static let sameDayAnOther = 10
  /// The fewest votes on each side of a split.
  public static let leastOnEachSide = 5
  /// The share of the weaker side from which on a split is strong.
  public static let strongSplit = 0.3

  /// Why a number is held.
  public struct Finding: Sendable, Equatable {
    /// The rule with its figures.
    public var reason: HoldReason
    /// Whose complaints made the burst; nobody's in a split, where either side may be right.
    public var reporters: [Reporter]

    /// - Parameters: see the properties.
    public init(reason: HoldReason, reporters: [Reporter]) {
      self.reason = reason
      self.reporters = reporters
    }
  }

  /// Judges what reporters say of a number; nil when there is nothing against it.
  /// - Parameters:
  ///   - votes: one a reporter.
  ///   - background: what is usual just now.
  public static func judge(_ votes: [ReporterVote], background: BrigadeBaseline) -> Finding? {
    let summary = VoteSummary(votes)
    return marked(summary, background) ?? oneDay(summary, background) ?? split(votes)
  }

  /// Judges what reporters say of a number that is listed because of them: it was weighed before, so only a strong split
  /// holds it.
  public static func judgeListed(_ votes: [ReporterVote]) -> Finding? { split(votes) }

  private static func marked(_ summary: VoteSummary, _ background: BrigadeBaseline) -> Finding? {
    let newcomers = background.knowsReporters ? summary.newcomers : []
    let networks = summary.networks.filter { !background.isCommon(network: $0.key) }
    let texts = summary.texts.filter { !background.isCommon(text: $0.key) }
    let network = networks.values.reduce(into: Set()) { $0.formUnion($1) }
    let text = texts.values.reduce(into: Set()) { $0.formUnion($1) }
    let suspects = newcomers.union(network).union(text)
    let others = summary.complainers - suspects.count
    guard suspects.count >= leastSuspects, others < max(leastOthers, suspects.count / suspectsAnOther) else {
      return nil
    }
    let marks = HoldReason.Marks(
      reporters: summary.complainers, new: newcomers.count, sameNetwork: network.count, sameText: text.count,
      others: others)
    let found: [(reason: HoldReason, count: Int)] = [
      (.newReporters(marks), newcomers.count), (.oneNetwork(marks), network.count), (.oneText(marks), text.count),
    ]
    guard let most = found.max(by: { $0.count < $1.count }) else { return nil }
    return Finding(reason: most.reason, reporters: suspects.sorted())
  }

  private static func oneDay(_ summary: VoteSummary, _ background: BrigadeBaseline) -> Finding? {
    let peak = summary.peak
    guard peak.count >= leastOnOneDay, !background.isOneDayCommon else { return nil }
    let others = summary.complainers - peak.count
    guard others < max(leastOthers, peak.count / sameDayAnOther) else { return nil }
    return Finding(
      reason: .oneDay(peak: peak.count, reporters: summary.complainers, others: others), reporters: peak.sorted())
  }

  private static func split(_ votes: [ReporterVote]) -> Finding? {
    let toxic = votes.count { $0.isToxic }
    let legitimate = votes.count - toxic
    guard min(toxic, legitimate) >= leastOnEachSide,
      Double(min(toxic, legitimate)) >= strongSplit * Double(votes.count)
    else { return nil }
    return Finding(reason: .split(complaints: toxic, legitimate: legitimate), reporters: [])
  }
}
