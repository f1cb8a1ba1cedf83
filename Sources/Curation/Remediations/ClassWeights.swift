// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// How useful the classes of listed numbers are, for the order of a recipe with `rank: useful`: calls that phones counted
/// for a thousand numbers of the class, relative to the same of all numbers.
public struct ClassWeights: Sendable, Equatable {
  /// The fewest numbers of a class, as a mean, with a weight of its own.
  static let minNumbers = 100.0
  /// The greatest weight of a class, and the inverse of the least one: phones that lie together move a number no further.
  public static let most = 8.0

  private var origins: [ListedNumber.Cause: Double] = [:]
  private var types: [PhoneNumber.Kind: Double] = [:]

  /// All classes are equal.
  public init() {}

  /// - Parameters:
  ///   - figures: with noise, as pages show them: the order of a published pack may be read.
  ///   - means: the mean counts of numbers in packs in the last weeks, by class.
  public init(_ figures: RemediationFigures, means: [RemediationClass: [String: Double]]) {
    for (cause, names) in [
      (ListedNumber.Cause.reports, ["reports", "source"]), (.decision, ["decision"]), (.range, ["range"]),
    ] {
      origins[cause] = Self.weight(.origin, names, figures, means)
    }
    for kind in PhoneNumber.Kind.allCases { types[kind] = Self.weight(.numberType, [kind.rawValue], figures, means) }
  }

  /// The rate of a class relative to all, moved toward 1 by its error; nil where too little is known.
  private static func weight(
    _ kind: RemediationClass, _ names: [String], _ figures: RemediationFigures,
    _ means: [RemediationClass: [String: Double]]
  ) -> Double? {
    let parts = figures.parts.filter { $0.kind == kind }
    let all = parts.reduce(0) { $0 + max(0, $1.tally.matched) }
    let listed = means[kind]?.values.reduce(0, +) ?? 0
    let own = means[kind]?.filter { names.contains($0.key) }.values.reduce(0, +) ?? 0
    let mine = parts.filter { names.contains($0.value) }
    // Each phone knows the type of a number; it may not know the origins of all.
    guard all > 0, listed > 0, own >= minNumbers, (kind == .numberType ? parts : mine).contains(where: \.isWhole)
    else { return nil }
    let (matched, error) = mine.reduce((Int64(0), Int64(0))) { ($0.0 + max(0, $1.tally.matched), $0.1 + $1.error) }
    func rate(_ calls: Int64) -> Double { Double(max(0, calls)) / own / (Double(all) / listed) }
    let (least, greatest) = (rate(matched - error), rate(matched + error + RemediationFigures.hiddenCalls))
    return min(most, max(1 / most, least > 1 ? least : min(1, greatest)))
  }

  /// The product of the weights of a number's classes; 1 for a class of which too little is known.
  func weight(of number: Int64, _ cause: ListedNumber.Cause) -> Double {
    let type = types.isEmpty ? nil : PhoneNumber(digits: number).flatMap { types[$0.kind] }
    return (origins[cause] ?? 1) * (type ?? 1)
  }

  /// The known weights by class and name, for previews.
  public var all: [(kind: RemediationClass, value: String, weight: Double)] {
    origins.map { (.origin, "\($0)", $1) }.sorted { $0.1 < $1.1 }
      + types.map { (.numberType, $0.rawValue, $1) }.sorted { $0.1 < $1.1 }
  }
}
