// SPDX-License-Identifier: Apache-2.0

/// The confidence of votes that a number is a nuisance.
public enum Confidence {
  /// z of the interval: 1.96, two-sided 95 %.
  public static let z = 1.96

  /// Lower bound of the Wilson score interval for p = toxic / (toxic + legitimate).
  ///
  /// Few votes give a low bound even when all agree: 1 of 1 is 0.21, 10 of 10 is 0.72.
  /// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
  /// - Parameters:
  ///   - toxic: decayed weight of complaints, 0 or more.
  ///   - legitimate: decayed weight of "legitimate", 0 or more.
  /// - Returns: 0 to 1; 0 where there are no votes.
  public static func wilsonLowerBound(toxic: Double, legitimate: Double) -> Double {
    let n = max(0, toxic) + max(0, legitimate)
    guard n > 0 else { return 0 }
    let p = max(0, toxic) / n
    let z2 = z * z
    let centre = p + z2 / (2 * n)
    let spread = z * ((p * (1 - p) + z2 / (4 * n)) / n).squareRoot()
    return max(0, (centre - spread) / (1 + z2 / n))
  }

  /// Upper bound of the same interval: 1 of 10 is 0.40.
  /// - Returns: 0 to 1; 1 where there are no votes.
  public static func wilsonUpperBound(toxic: Double, legitimate: Double) -> Double {
    // The interval is symmetric: the upper bound of p is 1 less the lower bound of 1 - p.
    1 - wilsonLowerBound(toxic: legitimate, legitimate: toxic)
  }
}
