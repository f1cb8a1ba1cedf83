public import Foundation

extension Explanation {
  /// The time at which figures are worked out that apps are given: the beginning of the day in UTC.
  public static func coarseTime(_ time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
  }

  /// The explanation for apps, with figures that do not say when a single report was sent, nor what its reporter weighs: weights
  /// are cut to halves, and confidence is that of the weights that are shown.
  ///
  /// The weight of one report halves every 14 days, so the exact figure is a clock. Of a report that counts in full, a half
  /// of it at the beginning of a day says no more than the day. Figures are cut and never rounded up: what misses a limit
  /// of halves does not look as if it reached it.
  public var coarse: Explanation {
    var coarse = self
    var confidence = 0.0
    if var score {
      // With the other side rounded up, so that it is never too high.
      confidence = Self.twentieth(
        Confidence.wilsonLowerBound(
          toxic: Self.half(score.evidence), legitimate: (score.legitimate * 2).rounded(.up) / 2))
      score.heat = Self.half(score.heat)
      score.evidence = Self.half(score.evidence)
      score.legitimate = Self.half(score.legitimate)
      score.confidence = confidence
      for index in score.parts.indices {
        score.parts[index].heat = Self.half(score.parts[index].heat)
        score.parts[index].evidence = Self.half(score.parts[index].evidence)
      }
      coarse.score = score
    }
    for index in (evaluation?.conditions ?? []).indices {
      guard let condition = evaluation?.conditions[index] else { continue }
      switch condition.kind {
      case .heat, .evidence: coarse.evaluation?.conditions[index].have = Self.half(condition.have)
      case .confidence: coarse.evaluation?.conditions[index].have = confidence
      case .reporters, .networks, .days, .listComplaints, .listDays: break
      }
    }
    return coarse
  }

  private static func half(_ value: Double) -> Double { (value * 2).rounded(.down) / 2 }
  private static func twentieth(_ value: Double) -> Double { (value * 20).rounded(.down) / 20 }
}
