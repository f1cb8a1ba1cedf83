// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A setting of a source with which its entries cannot have the effect that its ceiling allows.
public enum IneffectiveSetting: CodedData, Equatable {
  public enum CodingKeys: MessageCode {
    case limitsTooHigh, blockTooHigh, weightTooLow, weightZero
  }

  /// A number of the list has at most `most` entries on one day, and the limits need more.
  case limitsTooHigh(complaints: Int, days: Int, most: Int)
  /// A number of the list has at most `most` entries, and a block needs more.
  case blockTooHigh(complaints: Int, most: Int)
  /// One entry never reaches the limits of the category.
  case weightTooLow(weight: Double, category: String, sufficient: Double)
  /// Entries of weight 0 are ignored.
  case weightZero
}

extension Threshold {
  /// The least weight, rounded up to a tenth, with which one entry of a list reaches the limits of an action alone.
  /// - Parameters:
  ///   - ceiling: `review` for the review queue; otherwise to enter the list.
  ///   - age: the greatest age of the entry in seconds.
  public func weight(of ceiling: SourceCeiling, aged age: TimeInterval) -> Double {
    func fresh(_ need: Double, _ decay: Decay) -> Double { need * exp2(age / decay.halfLife) }
    var tenths = Int((fresh(reviewHeat, .heat) * 10).rounded(.up))
    guard ceiling >= .identify else { return Double(tenths) / 10 }
    tenths = Int((max(fresh(enter.heat, .heat), fresh(enter.evidence, .evidence)) * 10).rounded(.up))
    // A confidence of 1 is not reached by any weight.
    while tenths < 10_000,
      Confidence.wilsonLowerBound(toxic: Double(tenths) / fresh(10, .evidence), legitimate: 0) < enter.confidence
    {
      tenths += 1
    }
    return Double(tenths) / 10
  }
}
