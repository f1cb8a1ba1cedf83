// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Two-sided geometric noise, the discrete form of Laplace noise: Ghosh, Roughgarden, Sundararajan, "Universally
/// utility-maximizing privacy mechanisms", STOC 2009. Integers have no low bits that show the sum, as rounded Laplace noise
/// of floating-point numbers has (Mironov 2012).
public struct GeometricNoise: Sendable {
  /// The probability of a value is proportional to this to the power of its distance from 0.
  private let ratio: Double

  public init(epsilon: Double, sensitivity: Int) {
    precondition(epsilon > 0 && sensitivity > 0)
    ratio = exp(-epsilon / Double(sensitivity))
  }

  /// The difference of two geometric variables. With 52 bits for each, values whose probability is below 2⁻⁵² do not occur:
  /// the δ of the mechanism.
  /// - Parameter bits: two uniformly distributed integers.
  public func value(_ bits: (UInt64, UInt64)) -> Int64 { geometric(bits.0) - geometric(bits.1) }

  /// The number of failures before the first success.
  private func geometric(_ bits: UInt64) -> Int64 {
    let uniform = (Double(bits >> 12) + 0.5) * 0x1p-52
    return Int64((log(uniform) / log(ratio)).rounded(.down))
  }

  public var variance: Double { 2 * ratio / ((1 - ratio) * (1 - ratio)) }

  /// The bound of the error of a sum of independent values in 95 of 100 cases: ln 20 / √2 standard deviations, which is exact
  /// for one value of a large scale and more than enough for a sum of several.
  public static func error(variance: Double) -> Int64 { Int64((2.12 * variance.squareRoot()).rounded(.up)) }
}

/// The figures that pages show of calls that matched a list: sums with noise, of days whose counts are complete. Each sum is
/// shown with one noise for all time, so that neither reloading nor later counts average it out.
public struct RemediationFigures: Sendable, Equatable {
  /// A stored sum.
  public struct Sum: Sendable, Equatable {
    /// Days since 1970-01-01.
    public var day: Int32
    public var sender: RemediationSender
    /// Nil for the sum of the day.
    public var kind: RemediationClass?
    /// Empty for the sum of the day.
    public var value: String
    /// How many have sent it.
    public var installations: Int64
    public var tally: RemediationTally

    public init(
      day: Int32, sender: RemediationSender, kind: RemediationClass?, value: String, installations: Int64,
      tally: RemediationTally
    ) {
      (self.day, self.sender, self.kind, self.value) = (day, sender, kind, value)
      (self.installations, self.tally) = (installations, tally)
    }
  }

  /// The calls that were blocked on a day, and the bound of their error.
  public struct Day: Sendable, Equatable {
    /// Days since 1970-01-01.
    public let day: Int32
    public fileprivate(set) var stopped: Int64 = 0
    public var error: Int64 { GeometricNoise.error(variance: variance) }
    fileprivate var variance = 0.0
  }

  /// The counts of a class of the complete weeks, and the bound of the error of each count.
  public struct Part: Sendable, Equatable {
    public let kind: RemediationClass
    public let value: String
    public fileprivate(set) var tally = RemediationTally()
    /// How many weeks have counts that may be shown.
    public fileprivate(set) var weeks = 0
    public var error: Int64 { GeometricNoise.error(variance: variance) }
    fileprivate var variance = 0.0
  }

  private struct Place: Hashable {
    let period: Int32
    let sender: RemediationSender
    let kind: RemediationClass?
    let value: String
  }

  /// The ε of the sum of a day, and of all sums of weeks of one class. An installation's day is in one sum of a day and, by
  /// each class, in sums of one week: 0.6 + 7 × 0.2 = 2 in all.
  public static let (dayEpsilon, classEpsilon) = (0.6, 0.2)
  /// Days of the figures by day, and of the charts of the start page.
  public static let shownDays: Int32 = 30
  /// Weeks of the figures by class: 28 days.
  public static let weeks: Int32 = 4

  /// Complete days, the oldest first.
  public private(set) var days: [Day]
  /// By class and then by value.
  public private(set) var parts: [Part]

  /// The last day for which no more counts are accepted. Those that came in its last moment have an hour to be stored.
  public static func lastDay(at now: Date) -> Int32 {
    ComplaintDays.day(of: now - 3_600) - RemediationLimits.maxAgeInDays - 1
  }

  /// The first day of the sums that are needed.
  public static func firstDay(at now: Date) -> Int32 { lastDay(at: now) - 7 * (weeks + 1) }

  /// Sources that were added later had no ``weeks`` complete weeks, which begin up to 7 days before the last day.
  public static func firstWeek(at now: Date) -> Date {
    now - Double(7 * (weeks + 1) + RemediationLimits.maxAgeInDays + 1) * 86_400
  }

  /// - Parameters:
  ///   - sums: since ``firstDay(at:)``, or of the period.
  ///   - period: the days, of which complete ones are shown; nil for the last ``shownDays``.
  ///   - bits: 16 bytes or more for a text, which are the same at each call and unpredictable without a key.
  public init(_ sums: [Sum], of period: Range<Int32>? = nil, at now: Date, bits: (String) -> [UInt8]) {
    let last = Self.lastDay(at: now)
    let first = period?.lowerBound ?? last - Self.shownDays + 1
    let end = max(first, min(period?.upperBound ?? .max, last + 1))
    // The first day of 1970 was a Thursday; weeks begin on Monday.
    let lastWeek = (last + 4) / 7 - 1
    var shown: [Place: RemediationTally] = [:]
    for sum in sums where sum.day <= last && sum.installations >= sum.sender.minInstallations {
      let week = (sum.day + 3) / 7
      let isShown = sum.kind == nil ? first..<end ~= sum.day : lastWeek - Self.weeks + 1...lastWeek ~= week
      guard isShown else { continue }
      let place = Place(
        period: sum.kind == nil ? sum.day : week, sender: sum.sender, kind: sum.kind, value: sum.value)
      shown[place, default: .init()] += sum.tally
    }
    days = (first..<end).map { Day(day: $0) }
    var found: [RemediationClass: [String: Part]] = [:]
    for (place, tally) in shown {
      let noise =
        place.kind == nil
        ? GeometricNoise(epsilon: Self.dayEpsilon, sensitivity: place.sender.daySensitivity)
        : GeometricNoise(epsilon: Self.classEpsilon, sensitivity: place.sender.classSensitivity)
      func noisy(_ name: String, _ count: Int64) -> Int64 {
        let cell = "\(place.period) \(place.sender.rawValue) \(place.kind?.rawValue ?? "day") \(name) \(place.value)"
        let drawn = bits("remediations \(cell)").withUnsafeBytes {
          ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        return count + noise.value(drawn)
      }
      if let kind = place.kind {
        var part = found[kind]?[place.value] ?? Part(kind: kind, value: place.value)
        part.tally += RemediationTally(
          matched: noisy("matched", tally.matched), blocked: noisy("blocked", tally.blocked),
          labeled: noisy("labeled", tally.labeled), overridden: noisy("overridden", tally.overridden))
        part.variance += noise.variance
        part.weeks += 1
        found[kind, default: [:]][place.value] = part
      } else {
        let index = Int(place.period - first)
        days[index].stopped += noisy("blocked", tally.blocked)
        days[index].variance += noise.variance
      }
    }
    parts = RemediationClass.allCases.flatMap { kind in
      (found[kind] ?? [:]).values.sorted { $0.value < $1.value }
    }
  }

  /// The calls that were blocked on all days.
  public var stopped: Int64 { max(0, days.reduce(0) { $0 + $1.stopped }) }

  /// The bound of the error of the calls of all days; 0 where no day may be shown.
  public var error: Int64 { GeometricNoise.error(variance: days.reduce(0) { $0 + $1.variance }) }
}

extension RemediationFigures.Part {
  /// Whether all weeks have counts that may be shown.
  var isWhole: Bool { weeks >= Int(RemediationFigures.weeks) }

  /// Calls that matched, for a thousand numbers; nil where that is not known.
  public func usefulness(numbers: Int64) -> Double? {
    numbers > 0 ? 1_000 * Double(max(0, tally.matched)) / Double(numbers) : nil
  }

  /// Overrides for a thousand blocks; nil where the error is as large as the blocks.
  public var overrideRate: Double? {
    tally.blocked > error ? 1_000 * Double(max(0, tally.overridden)) / Double(tally.blocked) : nil
  }
}

extension RemediationFigures {
  /// The calls for a thousand numbers below which a source is proposed for removal: a twentieth of the packs' calls, at the
  /// lower bound of their error; nil where packs have none.
  /// - Parameter numbers: of each pack.
  public func usefulnessBound(ofPacks numbers: [String: Int64]) -> Double? {
    let packs = parts.filter { $0.kind == .pack }
    let calls = packs.reduce(0) { $0 + max(0, $1.tally.matched - $1.error) }
    let entries = packs.reduce(0) { $0 + (numbers[$1.value] ?? 0) }
    return calls > 0 && entries > 0 ? 1_000 * Double(calls) / Double(entries) / 20 : nil
  }

  /// Whether a source matched fewer calls than the bound, even if its error is the greatest one and days that are not shown
  /// had as many calls as they can have. False unless phones named sources in all weeks.
  public func isUseless(_ source: String, numbers: Int64, bound: Double) -> Bool {
    let named = parts.first { $0.kind == .origin && $0.value == "source" }
    guard numbers > 0, let named, named.isWhole else { return false }
    let part = parts.first { $0.kind == .source && $0.value == source }
    let most = part.map { max(0, $0.tally.matched) + $0.error } ?? 0
    return 1_000 * Double(most + Self.hiddenCalls) < bound * Double(numbers)
  }

  /// The most calls of a class in all weeks that are not shown, because too few installations sent them.
  static let hiddenCalls = Int64(7 * Int(weeks) * (RemediationLimits.minInstallations - 1) * RemediationLimits.calls)
}
