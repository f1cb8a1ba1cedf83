// SPDX-License-Identifier: Apache-2.0

/// The features that are common among numbers with present complaints, so that they count against none of them: a proxy
/// that carries all reports of an app, a text that an app suggests, an installation whose reporters are all new.
///
/// Numbers are counted and not reports: a brigade can send any number of reports, but to make its network common it
/// would have to complain about a third of all hot numbers.
public struct BrigadeBaseline: Sendable {
  /// The least number of numbers for a feature to be common.
  static let minNumbers = 20
  /// A feature that more than this share of the numbers have is common.
  static let usualShare = 1.0 / 3
  /// Days since their arrival after which complaints count: longer than a brigade takes until it is reviewed.
  public static let minAge: Int32 = 8
  /// How many days ago a number was confirmed at most.
  public static let maxConfirmedAge: Int32 = 60
  /// The most networks, and the most texts, that are counted. Where there are more, none of them is usual.
  static let maxKeys = 200_000

  /// How many numbers have something in common, of how many.
  public struct Share: Sendable, Equatable {
    public var count: Int
    /// All numbers that were compared.
    public var numbers: Int

    var isUsual: Bool {
      numbers >= BrigadeBaseline.minNumbers && Double(count) > BrigadeBaseline.usualShare * Double(numbers)
    }
  }

  /// Numbers with a burst's count of complaints, and how many of them got nearly all on one day.
  public private(set) var oneDay = Share(count: 0, numbers: 0)
  /// Numbers with networks and texts to compare.
  private var compared = 0
  private var networks: [UInt64: Int] = [:]
  private var texts: [UInt64: Int] = [:]

  public init() {}

  /// Adds a number that was confirmed.
  /// - Parameters:
  ///   - votes: one a reporter.
  ///   - confirmedAge: days before the review on which the number was confirmed.
  public mutating func add(_ votes: [ReporterVote], confirmedAge: Int32) {
    let past = votes.filter { $0.isToxic && !$0.isNew && $0.age >= Self.minAge && $0.age > confirmedAge }
    let days = Dictionary(grouping: past, by: \.age)
    if past.count >= BrigadeDetection.minOnOneDay {
      oneDay.numbers += 1
      let peak = days.values.map(\.count).max() ?? 0
      if peak * 10 >= past.count * 9 { oneDay.count += 1 }
    }
    // Networks and comments are kept for the window only.
    let recent = VoteSummary(past.filter { $0.age < BrigadeDetection.window })
    guard recent.complainers >= BrigadeDetection.minSuspects else { return }
    compared += 1
    for key in recent.networks.keys where networks.count < Self.maxKeys { networks[key, default: 0] += 1 }
    for key in recent.texts.keys where texts.count < Self.maxKeys { texts[key, default: 0] += 1 }
  }

  /// Whether complaints usually arrive on one day: an app has sent all that it had gathered.
  public var isOneDayUsual: Bool { oneDay.isUsual }

  public func isUsual(network: UInt64) -> Bool { share(network: network).isUsual }

  public func isUsual(text: UInt64) -> Bool { share(text: text).isUsual }

  func share(network: UInt64) -> Share { Share(count: networks[network] ?? 0, numbers: compared) }

  func share(text: UInt64) -> Share { Share(count: texts[text] ?? 0, numbers: compared) }
}
