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

  /// The rules, by which a number is held.
  public enum Rule: String, Sendable, CaseIterable {
    /// Most complaints come from reporters who are new.
    case newReporters = "new_reporters"
    /// Many complaints come through one network.
    case oneNetwork = "one_network"
    /// Many complaints have one text.
    case oneText = "one_text"
    /// Nearly all complaints came on one day.
    case oneDay = "one_day"
    /// Many say it is a nuisance, and many that it is not.
    case split
  }

  /// Why a number is held.
  public struct Finding: Sendable, Equatable {
    /// The rule.
    public var rule: Rule
    /// Its figures, in words.
    public var detail: String
    /// Whose complaints made the burst; nobody's in a split, where either side may be right.
    public var reporters: [Reporter]

    /// - Parameters: see the properties.
    public init(rule: Rule, detail: String, reporters: [Reporter]) {
      self.rule = rule
      self.detail = detail
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
    let found: [(rule: Rule, reporters: Set<Reporter>)] = [
      (.newReporters, newcomers), (.oneNetwork, network), (.oneText, text),
    ]
    guard let most = found.max(by: { $0.reporters.count < $1.reporters.count }) else { return nil }
    let figures = Figures.marked(
      complainers: summary.complainers, newcomers: newcomers.count, network: network.count, text: text.count,
      others: others)
    return Finding(rule: most.rule, detail: figures.sentence, reporters: suspects.sorted())
  }

  private static func oneDay(_ summary: VoteSummary, _ background: BrigadeBaseline) -> Finding? {
    let peak = summary.peak
    guard peak.count >= leastOnOneDay, !background.isOneDayCommon else { return nil }
    let others = summary.complainers - peak.count
    guard others < max(leastOthers, peak.count / sameDayAnOther) else { return nil }
    return Finding(
      rule: .oneDay,
      detail: Figures.oneDay(peak: peak.count, complainers: summary.complainers, others: others).sentence,
      reporters: peak.sorted())
  }

  private static func split(_ votes: [ReporterVote]) -> Finding? {
    let toxic = votes.count { $0.isToxic }
    let legitimate = votes.count - toxic
    guard min(toxic, legitimate) >= leastOnEachSide,
      Double(min(toxic, legitimate)) >= strongSplit * Double(votes.count)
    else { return nil }
    return Finding(
      rule: .split, detail: Figures.split(toxic: toxic, legitimate: legitimate).sentence, reporters: [])
  }
}
