// SPDX-License-Identifier: Apache-2.0

/// Distinguishes brigading from a nuisance: complaints of many people who were called by a number differ from
/// complaints that somebody has arranged.
///
/// A complaint is **suspect** when its reporter is a newcomer, shares a network with two others who complain of the
/// number, or shares a text with two others. The number is held when at least five reporters are suspect and the others
/// are too few to confirm them: fewer than three, or fewer than a quarter of the suspects. Others are all reporters
/// with a current complaint that is not suspect, including complaints before the last 30 days, so these rules do not
/// hold a number with older complaints. All marks are combined, so that a brigade gains nothing by mixing them; the
/// named rule is the one with the most suspects.
///
/// A number without such marks is held when ten or more reporters complained on one day and hardly anybody before or
/// after. A number whose reporters disagree is held as well, even without any mark.
///
/// Common features are not suspect: see ``BrigadeBaseline``.
public enum BrigadeDetection {
  /// Length of the window of suspect reports, in days; earlier reports are a number's history.
  public static let window: Int32 = 30
  /// The least number of suspects in a burst.
  public static let minSuspects = 5
  /// The least number of reporters who share a network or a text.
  static let minCluster = 3
  /// The least number of others that outweighs up to four times as many suspects.
  static let minOthers = 3
  /// Number of suspects that one further other outweighs.
  static let suspectsAnOther = 4
  /// The least number of reporters on one day that forms a burst without other marks.
  static let minOnOneDay = 10
  /// Number of reporters on one day that one reporter of another day outweighs.
  static let sameDayAnOther = 10
  /// The least number of votes on each side of a split.
  public static let minOnEachSide = 5
  /// The least share of the smaller side in a split.
  static let strongSplit = 0.3

  /// The reason why a number is held.
  public struct Finding: Sendable, Equatable {
    /// The rule with its figures.
    public var reason: HoldReason
    /// The reporters of the burst; empty for a split, where either side may be right.
    public var reporters: [Reporter]

    /// Creates a value from its properties.
    public init(reason: HoldReason, reporters: [Reporter]) {
      self.reason = reason
      self.reporters = reporters
    }
  }

  /// The result of a review.
  public enum Judgement: Sendable, Equatable {
    /// Nothing against the number.
    case clear
    /// A burst that is usual, so that it holds nothing.
    case usual(UsualBurst)
    /// A rule holds the number.
    case held(Finding)

    /// Why the number is held; nil where it is not.
    public var finding: Finding? {
      guard case .held(let finding) = self else { return nil }
      return finding
    }
  }

  /// Judges what reporters say of a number.
  /// - Parameters:
  ///   - votes: one a reporter.
  ///   - background: what is usual.
  public static func evaluate(_ votes: [ReporterVote], background: BrigadeBaseline) -> Judgement {
    let summary = VoteSummary(votes)
    let finding =
      marked(summary, background) ?? oneDay(summary, isUsual: background.isOneDayUsual) ?? split(votes)
    if let finding { return .held(finding) }
    return usual(summary, background).map(Judgement.usual) ?? .clear
  }

  /// Judges what reporters say of a number that is listed because of them: it was weighed before, so only a strong split
  /// holds it.
  public static func evaluateListed(_ votes: [ReporterVote]) -> Judgement { split(votes).map { .held($0) } ?? .clear }

  private static func marked(_ summary: VoteSummary, _ background: BrigadeBaseline) -> Finding? {
    let newcomers = summary.newcomers
    let networks = summary.networks.filter { !background.isUsual(network: $0.key) }
    let texts = summary.texts.filter { !background.isUsual(text: $0.key) }
    let network = networks.values.reduce(into: Set()) { $0.formUnion($1) }
    let text = texts.values.reduce(into: Set()) { $0.formUnion($1) }
    let suspects = newcomers.union(network).union(text)
    let others = summary.complainers - suspects.count
    guard suspects.count >= minSuspects, others < max(minOthers, suspects.count / suspectsAnOther) else {
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

  private static func oneDay(_ summary: VoteSummary, isUsual: Bool) -> Finding? {
    let peak = summary.peak
    guard peak.count >= minOnOneDay, !isUsual else { return nil }
    let others = summary.complainers - peak.count
    guard others < max(minOthers, peak.count / sameDayAnOther) else { return nil }
    return Finding(
      reason: .oneDay(peak: peak.count, reporters: summary.complainers, others: others), reporters: peak.sorted())
  }

  private static func split(_ votes: [ReporterVote]) -> Finding? {
    let toxic = votes.count { $0.isToxic }
    let legitimate = votes.count - toxic
    guard min(toxic, legitimate) >= minOnEachSide,
      Double(min(toxic, legitimate)) >= strongSplit * Double(votes.count)
    else { return nil }
    return Finding(reason: .split(complaints: toxic, legitimate: legitimate), reporters: [])
  }

  /// The mark without which the number is not held although a rule would hold it; of several the one of most reporters.
  private static func usual(_ summary: VoteSummary, _ background: BrigadeBaseline) -> UsualBurst? {
    guard marked(summary, BrigadeBaseline()) != nil || oneDay(summary, isUsual: false) != nil else { return nil }
    func burst(
      _ code: UsualBurst.Code, _ groups: [UInt64: Set<Reporter>], _ share: (UInt64) -> BrigadeBaseline.Share
    ) -> (burst: UsualBurst, count: Int)? {
      let usual = groups.filter { share($0.key).isUsual }
      guard let most = usual.keys.max(by: { (share($0).count, $0) < (share($1).count, $1) }) else { return nil }
      let alike = usual.values.reduce(into: Set()) { $0.formUnion($1) }.count
      return (UsualBurst(code, alike: alike, reporters: summary.complainers, share: share(most)), alike)
    }
    var found = [
      burst(.oneNetwork, summary.networks, background.share(network:)),
      burst(.oneText, summary.texts, background.share(text:)),
    ].compactMap { $0 }
    if background.isOneDayUsual, oneDay(summary, isUsual: false) != nil {
      let peak = summary.peak.count
      found.append(
        (UsualBurst(.oneDay, alike: peak, reporters: summary.complainers, share: background.oneDay), peak))
    }
    return found.max { $0.count < $1.count }?.burst
  }
}

/// The complaints about a number, grouped by common features.
struct VoteSummary {
  /// Reporters who complain, in the window and before it.
  let complainers: Int
  /// Reporters of the window who are newcomers.
  let newcomers: Set<Reporter>
  /// Reporters of the window by network, where enough of them share one.
  let networks: [UInt64: Set<Reporter>]
  /// Reporters of the window by text, where enough of them share one.
  let texts: [UInt64: Set<Reporter>]
  /// Reporters of the day of the window with the most reporters.
  let peak: Set<Reporter>

  init(_ votes: [ReporterVote]) {
    let toxic = votes.filter(\.isToxic)
    let recent = toxic.filter { $0.age < BrigadeDetection.window }
    complainers = toxic.count
    newcomers = Set(recent.lazy.filter(\.isNew).map(\.reporter))
    networks = Self.clusters(recent, by: \.network)
    texts = Self.clusters(recent, by: \.text)
    let days = Dictionary(grouping: recent, by: \.age).mapValues { Set($0.map(\.reporter)) }
    peak = days.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value ?? []
  }

  private static func clusters(_ votes: [ReporterVote], by key: (ReporterVote) -> UInt64?) -> [UInt64: Set<Reporter>] {
    var clusters: [UInt64: Set<Reporter>] = [:]
    for vote in votes {
      if let key = key(vote) { clusters[key, default: []].insert(vote.reporter) }
    }
    return clusters.filter { $0.value.count >= BrigadeDetection.minCluster }
  }
}
