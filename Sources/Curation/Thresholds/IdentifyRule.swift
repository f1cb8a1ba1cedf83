// SPDX-License-Identifier: Apache-2.0

/// The limits from which reports identify a number that they do not block, and how many such labels newcomers support.
///
/// A wrong label costs a caller less than a block, so a few independent reporters suffice. A part of a version of the
/// thresholds.
public struct IdentifyRule: Sendable, Equatable, Codable {
  /// A rule of ``BrigadeDetection``, by the code of its ``HoldReason``.
  public enum Mark: String, Sendable, Codable, CaseIterable {
    case newReporters = "new_reporters"
    case oneWeek = "one_week"
    case oneNetwork = "one_network"
    case oneText = "one_text"
    case sameNumbers = "same_numbers"
    case oneDay = "one_day"
  }

  /// Least independent reporters, networks and days of arrival.
  public struct Limits: Sendable, Equatable, Codable {
    /// Least independent reporters; see ``Independence``.
    public var reporters: Int
    public var networks: Int
    /// Least distinct days of arrival, by the server's clock.
    public var days: Int

    public init(reporters: Int, networks: Int, days: Int) {
      self.reporters = reporters
      self.networks = networks
      self.days = days
    }
  }

  /// Part of the threshold's heat and evidence, above 0 to 1.
  public var heatShare: Double
  /// The limits for reports alone; each 2 to 64.
  public var alone: Limits
  /// The limits for a number that a source names too, and half of the heat and evidence; each 2 to 64, none above
  /// ``alone``.
  public var corroborated: Limits
  /// Marks that let reports identify a held number; with any other mark they list nothing.
  public var identifiedMarks: Set<Mark>
  /// Most numbers per day that newcomers of one app label, 0 to 1,000,000, not counting ``labelShare``.
  public var labels: Int
  /// Further labels a day for each of the app's reporters of the week that ended a week ago, 0 to 1.
  public var labelShare: Double

  public init(
    heatShare: Double = 0.4, alone: Limits = Limits(reporters: 3, networks: 3, days: 3),
    corroborated: Limits = Limits(reporters: 2, networks: 2, days: 2),
    identifiedMarks: Set<Mark> = [.newReporters, .oneWeek], labels: Int = 3, labelShare: Double = 0.02
  ) {
    self.heatShare = heatShare
    self.alone = alone
    self.corroborated = corroborated
    self.identifiedMarks = identifiedMarks
    self.labels = labels
    self.labelShare = labelShare
  }

  /// The limits for a number, in the form of its threshold's.
  ///
  /// A listed number keeps its label with the heat to stay listed, and with one reporter, network and day less.
  func limits(_ threshold: Threshold, listed: Bool, isCorroborated: Bool) -> ThresholdLimits {
    let limits = limits(isCorroborated: isCorroborated)
    let share = isCorroborated ? heatShare / 2 : heatShare
    let bar = threshold.bar(listed: listed)
    let less = listed ? 1 : 0
    return ThresholdLimits(
      heat: bar.heat * share, evidence: bar.evidence * share, confidence: threshold.leave.confidence * share * 2,
      reporters: limits.reporters - less, networks: limits.networks - less, days: limits.days - less)
  }

  /// The limits for independent reporters.
  func limits(isCorroborated: Bool) -> Limits { isCorroborated ? corroborated : alone }

  /// The most numbers that newcomers of an app label on one day.
  /// - Parameter reporters: the app's reporters of the week that ended a week ago.
  public func dailyLabels(reporters: Int) -> Int { labels + Int(labelShare * Double(reporters)) }

  /// Every broken rule, with the field only: `identify.labels`.
  public var problems: [ThresholdProblem] {
    let above = ["reporters", "networks", "days"].compactMap { kind -> ThresholdProblem? in
      let (name, alone) = ("identify.corroborated_\(kind)", self[field: "identify.\(kind)"])
      let isInside = self[field: name] >= 2 && self[field: name] <= min(64, alone)
      return isInside ? nil : .outOfRange(name, 2...Int64(min(64, max(2, alone))))
    }
    let names = Self.table.map(\.name)
    return (limitProblems + above).sorted { left, right in
      names.firstIndex(of: left.field) ?? 0 < names.firstIndex(of: right.field) ?? 0
    }
  }
}
