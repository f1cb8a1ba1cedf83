// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Explanation {
  /// The time for which figures for apps are calculated: the beginning of the day in UTC.
  public static func coarseTime(_ time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
  }

  /// The explanation for apps, whose figures reveal neither the time of a single report nor the weight of its reporter:
  /// weights are rounded down to halves, and confidence is calculated from the rounded weights.
  ///
  /// The weight of one report halves every 14 days, so the exact figure would reveal its time. Half units at the
  /// beginning of a day reveal no more than the day. Figures are rounded down and never up: a weight below a limit does
  /// not appear to reach it.
  public var coarse: Explanation {
    var coarse = self
    // It would tell a brigade what passes.
    coarse.usual = nil
    var confidence = 0.0
    if var score {
      confidence = Self.coarseConfidence(evidence: score.evidence, legitimate: score.legitimate)
      score.heat = Self.coarseWeight(score.heat)
      score.evidence = Self.coarseWeight(score.evidence)
      score.legitimate = Self.coarseWeight(score.legitimate)
      score.confidence = confidence
      for index in score.parts.indices {
        score.parts[index].heat = Self.coarseWeight(score.parts[index].heat)
        score.parts[index].evidence = Self.coarseWeight(score.parts[index].evidence)
      }
      coarse.score = score
    }
    for index in (evaluation?.conditions ?? []).indices {
      guard let condition = evaluation?.conditions[index] else { continue }
      switch condition.kind {
      case .heat, .evidence: coarse.evaluation?.conditions[index].have = Self.coarseWeight(condition.have)
      case .confidence: coarse.evaluation?.conditions[index].have = confidence
      case .reporters, .networks, .days, .listComplaints, .listDays: break
      }
    }
    return coarse
  }

  /// A weight for apps, rounded down to halves.
  public static func coarseWeight(_ value: Double) -> Double { (value * 2).rounded(.down) / 2 }

  /// The confidence for apps, 0 to 1, from exact weights. The legitimate weight is rounded up, so that it is never too
  /// high.
  public static func coarseConfidence(evidence: Double, legitimate: Double) -> Double {
    twentieth(
      Confidence.wilsonLowerBound(toxic: coarseWeight(evidence), legitimate: (legitimate * 2).rounded(.up) / 2))
  }

  private static func twentieth(_ value: Double) -> Double { (value * 20).rounded(.down) / 20 }
}
