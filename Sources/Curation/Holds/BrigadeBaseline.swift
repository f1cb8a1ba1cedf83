/// The features that are common among numbers with present complaints, so that they count against none of them: a proxy
/// that carries all reports of an app, a text that an app suggests, an installation whose reporters are all new.
///
/// Numbers are counted and not reports: a brigade can send any number of reports, but to make its network common it
/// would have to complain about a third of all hot numbers.
public struct BrigadeBaseline: Sendable {
  /// The least number of numbers for a feature to be common.
  public static let leastNumbers = 20
  /// A feature that more than this share of the numbers have is common.
  public static let usualShare = 1.0 / 3
  /// The least number of established reporters for newcomers to be exceptional.
  public static let leastEstablished = 50
  /// The most networks, and the most texts, that are counted. With more, none of them is common.
  static let mostKeys = 200_000

  private let established: Int
  private var numbers = 0
  private var numbersOfNewcomers = 0
  private var crowded = 0
  private var crowdedOnOneDay = 0
  private var networks: [UInt64: Int] = [:]
  private var texts: [UInt64: Int] = [:]

  /// - Parameter established: number of established reporters, counted up to at least ``leastEstablished``.
  public init(established: Int) {
    self.established = established
  }

  /// Adds the votes on one number.
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

  /// Whether being new is exceptional: enough reporters are established, and on at most half of the numbers newcomers
  /// make more than three quarters of the complaints.
  public var knowsReporters: Bool {
    established >= Self.leastEstablished && (numbers < Self.leastNumbers || numbersOfNewcomers * 2 <= numbers)
  }

  /// Whether it is common that at least 90 % of a number's complaints are on one day, because an app has sent all its
  /// stored reports.
  public var isOneDayCommon: Bool {
    crowded >= Self.leastNumbers && Double(crowdedOnOneDay) > Self.usualShare * Double(crowded)
  }

  /// Whether complaints about many numbers come through this network.
  public func isCommon(network: UInt64) -> Bool { isCommon(networks[network]) }

  /// Whether complaints about many numbers have this text.
  public func isCommon(text: UInt64) -> Bool { isCommon(texts[text]) }

  private func isCommon(_ count: Int?) -> Bool {
    guard let count, numbers >= Self.leastNumbers else { return false }
    return Double(count) > Self.usualShare * Double(numbers)
  }
}
