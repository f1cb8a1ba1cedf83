// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Distinguishes brigading from a nuisance: complaints of many people who were called by a number differ from
/// complaints that somebody has arranged.
///
/// A reporter with an attested phone is no newcomer here, and shares no network: an installation costs a device. Reports of
/// newcomers label no number that three attested reporters, and more than complain, call legitimate.
///
/// A complaint is **suspect** when its reporter is a newcomer, shares a network or a text with two others who complain of
/// the number, or reports the same numbers as other reporters. The number's reports are held when the others are too few to
/// confirm the suspects: fewer than two, or fewer than a quarter of the suspects. They are also held while all complaints of
/// the others came within a week, and fewer than three of the others, or than are needed, were established a week before
/// they complained: accounts that have waited together complain within a few days. Others are all reporters with a current complaint that is not suspect, including complaints before the last
/// 30 days, so these rules do not hold a number with older complaints. All marks are combined, so that a brigade gains
/// nothing by mixing them.
///
/// Held reports block nothing. Where enough of the reporters are independent (``Independence``), ``IdentifyRule`` lets them
/// identify the number, as if newness were the only mark. The named mark is the mark that most reporters have.
///
/// A number without such marks is held when ten or more reporters complained on one day and hardly anybody before or
/// after. A number whose reporters disagree is held as well, even without any mark, and whatever else supports it.
///
/// Common features are not suspect: see ``BrigadeBaseline``.
public enum BrigadeDetection {
  /// Length of the window of suspect reports, in days; earlier reports are a number's history.
  public static let window: Int32 = 30

  /// The time since which a report of a number must have arrived for the review of a publication to judge the number. Reports
  /// of other numbers list nothing new.
  public static func judgedSince(_ time: Date) -> Date { time.addingTimeInterval(-Double(window + 1) * 86_400) }

  /// The least number of reporters whose network or text is compared with the usual ones.
  static let minSuspects = 5
  /// The time before a complaint since which a reporter is established for the complaint to block at once: 7 days.
  public static let longEstablishedTime: Double = 7 * 86_400
  /// The least number of others who were established so long.
  static let minLongEstablished = 3
  /// The least days between the first and the last complaint of others that block without them.
  static let minDaysOfOthers: Int32 = 7
  /// The least number of reporters who share a network or a text.
  static let minCluster = 3
  /// The least number of attested reporters whose contradiction denies a label.
  static let minDeniers = 3
  /// The least number of others that outweighs up to four times as many suspects.
  static let minOthers = 2
  /// Number of suspects that one further other outweighs.
  static let suspectsAnOther = 4
  /// The least number of newcomers who lose their weight if a moderator allows the number.
  static let minNewcomers = 10
  /// The least number of reporters on one day that forms a burst without other marks.
  static let minOnOneDay = 10
  /// The least number of reporters of other days that outweighs a burst on one day.
  static let minOnOtherDays = 3
  /// Number of reporters on one day that one reporter of another day outweighs.
  static let sameDayAnOther = 10
  /// The least number of votes on each side of a split.
  public static let minOnEachSide = 5
  /// The least share of the smaller side in a split.
  static let strongSplit = 0.3

  /// The reason why a number is held.
  public struct Finding: Sendable, Equatable {
    public var reason: HoldReason
    /// The reporters who lose their weight if a moderator allows the number: those who are connected by a network, a
    /// comment, other numbers or a day, and ten newcomers or more; empty for a split, where either side may be right.
    public var reporters: [Reporter]
    /// The strongest treatment that the reports can trigger; nil for a split, which holds the number itself.
    public var ceiling: SourceCeiling?
    /// The app that sent most of the suspect reports; nil where it is not known.
    public var appID: Int32?
    /// Number of independent reporters; see ``Independence``.
    public var independent: Int
    public var complainers: Int

    public init(
      reason: HoldReason, reporters: [Reporter], ceiling: SourceCeiling? = nil, appID: Int32? = nil,
      independent: Int = 0, complainers: Int = 0
    ) {
      self.reason = reason
      self.reporters = reporters
      self.ceiling = ceiling
      self.appID = appID
      self.independent = independent
      self.complainers = complainers
    }
  }

  public enum Judgement: Sendable, Equatable {
    case clear
    /// A burst that is usual, so that it holds nothing.
    case usual(UsualBurst)
    case held(Finding)

    public var finding: Finding? {
      guard case .held(let finding) = self else { return nil }
      return finding
    }
  }

  /// The circumstances of a number whose reports are judged.
  public struct Circumstances: Sendable {
    /// E.164 digits.
    public var number: Int64 = 0
    /// Networks, texts and bursts that are usual.
    public var background: BrigadeBaseline
    public var overlap: TargetOverlap
    public var rule: IdentifyRule
    /// Whether a source names the number too.
    public var isCorroborated: Bool
    /// Length of the window of suspect reports, in days. For a held number it begins before the hold, so that the reports
    /// that it holds do not become the history that confirms them.
    public var window: Int32 = BrigadeDetection.window

    public init(
      background: BrigadeBaseline = BrigadeBaseline(), overlap: TargetOverlap = TargetOverlap(),
      rule: IdentifyRule = IdentifyRule(), isCorroborated: Bool = false
    ) {
      self.background = background
      self.overlap = overlap
      self.rule = rule
      self.isCorroborated = isCorroborated
    }
  }

  /// - Parameter votes: one a reporter.
  public static func evaluate(_ votes: [ReporterVote], in circumstances: Circumstances) -> Judgement {
    let summary = VoteSummary(votes, in: circumstances)
    let background = circumstances.background
    let burst = oneDay(summary, circumstances, isUsual: background.isOneDayUsual)
    var finding = split(votes) ?? marked(summary, circumstances) ?? burst
    if let burst, let ceiling = finding?.ceiling { finding?.ceiling = min(ceiling, burst.ceiling ?? ceiling) }
    if let finding { return .held(finding) }
    return usual(summary, circumstances).map(Judgement.usual) ?? .clear
  }

  /// Judges what reporters say of a number that they block: it was weighed before, so only a strong split
  /// holds it.
  public static func evaluateBlocked(_ votes: [ReporterVote]) -> Judgement { split(votes).map { .held($0) } ?? .clear }

  private static func marked(_ summary: VoteSummary, _ circumstances: Circumstances) -> Finding? {
    guard !summary.complaints.isEmpty else { return nil }
    let background = circumstances.background
    let networks = summary.networks.filter { !background.isUsual(network: $0.key) }
    let texts = summary.texts.filter { !background.isUsual(text: $0.key) }
    let network = networks.values.reduce(into: Set()) { $0.formUnion($1) }
    let text = texts.values.reduce(into: Set()) { $0.formUnion($1) }
    let numbers = Set(summary.pairs.flatMap { [summary.recent[$0.x].reporter, summary.recent[$0.y].reporter] })
    let connected = network.union(text).union(numbers)
    let suspects = connected.union(summary.newcomers)
    // Newcomers of earlier months confirm nobody either.
    let others = summary.complaints.filter { !$0.isUnproven && !suspects.contains($0.reporter) }
    let needed = max(minOthers, suspects.count / suspectsAnOther)
    let isConfirmed = others.count >= needed
    // Accounts that have waited together complain within a few days.
    let days = (others.map(\.age).max() ?? 0) - (others.map(\.age).min() ?? 0)
    let hasLong = others.count { $0.isLongEstablished || $0.isAttested } >= max(minLongEstablished, needed)
    guard !isConfirmed || days < minDaysOfOthers && !hasLong else { return nil }
    let independence = Independence(summary, background: background)
    let marks = HoldReason.Marks(
      reporters: summary.complainers, new: summary.newcomers.count, sameNetwork: network.count, sameText: text.count,
      sameNumbers: numbers.count, independent: independence.count, others: others.count)
    let limits = circumstances.rule.limits(isCorroborated: circumstances.isCorroborated)
    let isIndependent = independence.count >= limits.reporters && independence.days >= limits.days
    let connections: [(mark: IdentifyRule.Mark, reason: HoldReason, count: Int)] = [
      (.oneNetwork, .oneNetwork(marks), network.count), (.oneText, .oneText(marks), text.count),
      (.sameNumbers, .sameNumbers(marks), numbers.count),
    ]
    let connection = connections.filter { $0.count > 0 }.max { $0.count < $1.count }
    let unconnected = summary.newcomers.subtracting(connected).count
    var (mark, reason) = (IdentifyRule.Mark.newReporters, HoldReason.newReporters(marks))
    if isConfirmed { (mark, reason) = (.oneWeek, .oneWeek(marks)) }
    if let connection, !isIndependent || !isConfirmed && connection.count > unconnected { reason = connection.reason }
    // Independent reporters are as good as those without a connection.
    if !isIndependent { mark = connection?.mark ?? mark }
    // Attested phones that contradict outweigh accounts that nobody vouches for.
    let isDenied = summary.deniers >= minDeniers && summary.deniers > summary.attested
    let mayIdentify =
      circumstances.rule.identifiedMarks.contains(mark) && (isIndependent || connection != nil) && !isDenied
    // To be new is no offense: few newcomers are not remembered with the hold.
    let members = summary.newcomers.count >= minNewcomers ? suspects : connected
    return Finding(
      reason: reason, reporters: members.sorted(), ceiling: mayIdentify ? .identify : .nothing,
      appID: summary.app(of: suspects.isEmpty ? Set(summary.recent.map(\.reporter)) : suspects),
      independent: independence.count, complainers: summary.complainers)
  }

  private static func oneDay(_ summary: VoteSummary, _ circumstances: Circumstances, isUsual: Bool) -> Finding? {
    let peak = summary.peak
    guard peak.count >= minOnOneDay, !isUsual else { return nil }
    let others = summary.complainers - peak.count
    guard others < max(minOnOtherDays, peak.count / sameDayAnOther) else { return nil }
    return Finding(
      reason: .oneDay(peak: peak.count, reporters: summary.complainers, others: others), reporters: peak.sorted(),
      ceiling: circumstances.rule.identifiedMarks.contains(.oneDay) ? .identify : .nothing,
      appID: summary.app(of: peak),
      independent: Independence(summary, background: circumstances.background).count, complainers: summary.complainers)
  }

  /// Whether enough reporters call a number a nuisance, and enough legitimate.
  static func isStronglySplit(toxic: Int, legitimate: Int) -> Bool {
    let least = min(toxic, legitimate)
    return least >= minOnEachSide && Double(least) >= strongSplit * Double(toxic + legitimate)
  }

  private static func split(_ votes: [ReporterVote]) -> Finding? {
    let toxic = votes.count { $0.isToxic }
    let legitimate = votes.count - toxic
    guard isStronglySplit(toxic: toxic, legitimate: legitimate) else { return nil }
    return Finding(reason: .split(complaints: toxic, legitimate: legitimate), reporters: [])
  }

  /// The mark without which the number is not held although a rule would hold it; of several the one of most reporters.
  private static func usual(_ summary: VoteSummary, _ circumstances: Circumstances) -> UsualBurst? {
    let background = circumstances.background
    var unusual = circumstances
    unusual.background = BrigadeBaseline()
    let isOneDay = oneDay(summary, circumstances, isUsual: false) != nil
    guard marked(summary, unusual) != nil || isOneDay else { return nil }
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
    if background.isOneDayUsual, isOneDay {
      let peak = summary.peak.count
      found.append(
        (UsualBurst(.oneDay, alike: peak, reporters: summary.complainers, share: background.oneDay), peak))
    }
    return found.max { $0.count < $1.count }?.burst
  }
}

/// The complaints about a number, grouped by common features.
struct VoteSummary {
  /// The complaints, in the window and before it.
  let complaints: [ReporterVote]
  var complainers: Int { complaints.count }
  /// The complaints of the window, and those before it.
  let recent, earlier: [ReporterVote]
  /// The pairs of the window's complaints whose reporters have numbers in common, as indices; see ``TargetOverlap``.
  let pairs: [SIMD2<Int>]
  /// Reporters of the window who are newcomers.
  let newcomers: Set<Reporter>
  /// Attested reporters who complain, and those who call the number legitimate.
  let attested, deniers: Int
  /// Reporters of the window by network, where enough of them share one.
  let networks: [UInt64: Set<Reporter>]
  /// Reporters of the window by text, where enough of them share one.
  let texts: [UInt64: Set<Reporter>]
  /// Reporters of the day of the window with the most reporters.
  let peak: Set<Reporter>

  init(_ votes: [ReporterVote], in circumstances: BrigadeDetection.Circumstances = .init()) {
    let complaints = votes.filter(\.isToxic)
    self.complaints = complaints
    attested = complaints.count(where: \.isAttested)
    deniers = votes.count { !$0.isToxic && $0.isAttested }
    recent = complaints.filter { $0.age < circumstances.window }
    earlier = complaints.filter { $0.age >= circumstances.window }
    pairs = circumstances.overlap.pairs(among: recent, on: circumstances.number)
    newcomers = Set(recent.lazy.filter(\.isUnproven).map(\.reporter))
    networks = Self.clusters(recent, by: \.sharedNetwork)
    texts = Self.clusters(recent, by: \.text)
    let days = Dictionary(grouping: recent, by: \.age).mapValues { Set($0.map(\.reporter)) }
    peak = days.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value ?? []
  }

  /// The app that sent most reports of these reporters; of several the one with the smallest id.
  func app(of reporters: Set<Reporter>) -> Int32? {
    let apps = recent.filter { reporters.contains($0.reporter) }.compactMap(\.appID)
    return Dictionary(grouping: apps) { $0 }.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
  }

  private static func clusters(_ votes: [ReporterVote], by key: (ReporterVote) -> UInt64?) -> [UInt64: Set<Reporter>] {
    var clusters: [UInt64: Set<Reporter>] = [:]
    for vote in votes {
      if let key = key(vote) { clusters[key, default: []].insert(vote.reporter) }
    }
    return clusters.filter { $0.value.count >= BrigadeDetection.minCluster }
  }
}
