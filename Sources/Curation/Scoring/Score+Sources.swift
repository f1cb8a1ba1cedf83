// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The source whose ceiling decides about a number.
public struct SourceLimit: Sendable, Equatable {
  /// The source's id in `apps`.
  public var appID: Int32
  /// Its ceiling.
  public var ceiling: SourceCeiling
  /// Whether it is suspended.
  public var isSuspended: Bool

  /// - Parameters: see the properties.
  public init(appID: Int32, ceiling: SourceCeiling, isSuspended: Bool) {
    (self.appID, self.ceiling, self.isSuspended) = (appID, ceiling, isSuspended)
  }
}

extension Score {
  /// The source whose ceiling decides: without ceilings, a stronger treatment would be possible. Of several sources that
  /// complain, the one with the highest ceiling. Nil where no ceiling decides.
  /// - Parameter country: ISO 3166 alpha-2 of the number's country.
  public func sourceLimit(by thresholds: ThresholdSet, country: String?) -> SourceLimit? {
    let sources = lists.filter { $0.complaints > 0 && thresholds.ceiling(ofSource: $0.appID) < .block }.map(\.appID)
    let overrides = OverrideState(country: country)
    guard !sources.isEmpty,
      evaluate(by: thresholds, in: overrides).outcome < evaluate(by: thresholds.withoutCeilings, in: overrides).outcome
    else { return nil }
    return sources.map {
      SourceLimit(
        appID: $0, ceiling: thresholds.ceiling(ofSource: $0), isSuspended: thresholds.suspended.contains($0))
    }.max { ($0.ceiling, $1.appID) < ($1.ceiling, $0.appID) }
  }

  /// The score without the complaints of suspended sources.
  ///
  /// The stored sums do not have the weight of each source. It is calculated from the source's weight when it was
  /// suspended, and from its complaints as if each of its days had as many: exact for lists, which have one complaint
  /// about a number. A day on which others complained too is left out as well, except for one.
  public func withoutSuspended(by thresholds: ThresholdSet) -> Score {
    guard !thresholds.suspended.isEmpty else { return self }
    var score = self
    for list in lists where thresholds.suspended.contains(list.appID) && list.complaints > 0 {
      let weight = thresholds.weight(ofSource: list.appID) * Double(list.complaints)
      score.heat -= weight * list.share(of: .heat, at: time)
      score.evidence -= weight * list.share(of: .evidence, at: time)
      score.days -= list.days
    }
    guard score != self else { return self }
    score.days = max(min(1, days), score.days)
    (score.heat, score.evidence) = (max(0, score.heat), max(0, score.evidence))
    score.confidence = Confidence.wilsonLowerBound(toxic: score.evidence, legitimate: legitimate)
    return score
  }
}

extension Evaluation {
  /// The treatment by reports that the verdict leads to.
  public var outcome: SourceCeiling {
    switch verdict {
    case .listed, .candidate: ceiling
    case .needsReview: .review
    case .protected, .decided, .held, .quiet: .nothing
    }
  }
}

extension Score.List {
  /// The mean decayed weight of a complaint of weight 1, 0 to 1.
  fileprivate func share(of decay: Decay, at time: Date) -> Double {
    guard let lastDay, let dayBits, dayBits != 0 else { return 0 }
    let places = (0..<64).filter { dayBits & (1 << UInt64($0)) != 0 }
    let sum = places.reduce(0.0) { sum, place in
      let day = Date(timeIntervalSince1970: Double(Int(lastDay) - place) * 86_400)
      return sum + min(1, decay.scale(at: day) / decay.scale(at: time))
    }
    return sum / Double(places.count)
  }
}
