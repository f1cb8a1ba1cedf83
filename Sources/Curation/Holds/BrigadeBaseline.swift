/// What is usual among the numbers that are complained of just now, so that it is held against none of them: a proxy that
/// all reports of an app come through, a text that an app proposes, an installation whose reporters are all new.
///
/// It counts numbers and not reports: a brigade can send as many reports as it likes, but to make its network usual it
/// would have to complain of a third of all hot numbers.
public struct BrigadeBaseline: Sendable {
  /// The fewest numbers that say what is usual.
  public static let leastNumbers = 20
  /// What more than this share of the numbers have is usual.
  public static let usualShare = 1.0 / 3
  /// The fewest established reporters there must be before a newcomer is somebody out of the ordinary.
  public static let leastEstablished = 50
  /// The most networks, and the most texts, that are counted. Where there are more, none of them is usual.
  static let mostKeys = 200_000

  private let established: Int
  private var numbers = 0
  private var numbersOfNewcomers = 0
  private var crowded = 0
  private var crowdedOnOneDay = 0
  private var networks: [UInt64: Int] = [:]
  private var texts: [UInt64: Int] = [:]

  /// - Parameter established: how many established reporters there are, counted up to ``leastEstablished`` at least.
  public init(established: Int) {
    self.established = established
  }

  /// Takes in what reporters say of one number.
  public mutating func add(_ votes: [ReporterVote]) {
    let summary = VoteSummary(votes)
    guard summary.complainers > 0 else { return }
    numbers += 1
    if summary.newcomers.count * 4 > summary.complainers * 3 { numbersOfNewcomers += 1 }
    if summary.complainers >= BrigadeDetection.leastOnOneDay {
      crowded += 1
      if summary.peak.count * 10 >= summary.complainers * 9 { crowdedOnOneDay += 1 }
    }
    for key in summary.networks.keys where networks.count < Self.mostKeys { networks[key, default: 0] += 1 }
    for key in summary.texts.keys where texts.count < Self.mostKeys { texts[key, default: 0] += 1 }
  }

  /// Whether being new says anything: enough reporters are established, and not every other number is complained of by
  /// newcomers alone.
  public var knowsReporters: Bool {
    established >= Self.leastEstablished && (numbers < Self.leastNumbers || numbersOfNewcomers * 2 <= numbers)
  }

  /// Whether many numbers are complained of on one day: an app has sent all that it had gathered.
  public var isOneDayCommon: Bool {
    crowded >= Self.leastNumbers && Double(crowdedOnOneDay) > Self.usualShare * Double(crowded)
  }

  /// Whether many complaints of many numbers come through this network.
  public func isCommon(network: UInt64) -> Bool { isCommon(networks[network]) }

  /// Whether many complaints of many numbers have this text.
  public func isCommon(text: UInt64) -> Bool { isCommon(texts[text]) }

  private func isCommon(_ count: Int?) -> Bool {
    guard let count, numbers >= Self.leastNumbers else { return false }
    return Double(count) > Self.usualShare * Double(numbers)
  }
}
