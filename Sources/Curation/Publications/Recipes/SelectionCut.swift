// SPDX-License-Identifier: Apache-2.0

/// A limit of selection: numbers below both of its values need not be read when the packs are full without them.
///
/// A pack of N entries needs the N with the greatest ranks. A number below the cut ranks below ``bound(of:)``; so a
/// full pack whose last entry does not rank lower is the same as without the cut.
public struct SelectionCut: Sendable, Equatable {
  /// The least decayed heat.
  public var heat: Double
  /// The least count of decayed calls; infinite where calls do not count.
  public var identifications: Double

  /// - Parameters: see the properties.
  public init(heat: Double, identifications: Double) {
    self.heat = heat
    self.identifications = identifications
  }

  /// The rank that every number below the cut is under; infinite where it is unknown.
  public func bound(of ranking: Ranking) -> Double {
    guard ranking.evidence == 0 else { return .infinity }
    return ranking.score(
      heat: ranking.heat > 0 ? heat : 0, identifications: ranking.identifications > 0 ? identifications : 0, evidence: 0
    )
  }

  /// The desired count of numbers above each limit for these recipes; nil where a cut is useless.
  public static func numbers(for recipes: [Recipe], packs: (Recipe) -> Int) -> (hot: Int, identified: Int)? {
    var wanted = (hot: 0, identified: 0)
    for recipe in recipes where recipe.source != .directory {
      let ranking = recipe.ranking
      guard ranking.evidence == 0, (ranking.heat > 0) != (ranking.identifications > 0) else { return nil }
      let entries = recipe.limit * packs(recipe)
      if ranking.heat > 0 {
        wanted.hot = max(wanted.hot, entries + entries / 4)
      } else {
        wanted.identified = max(wanted.identified, entries * 2)
      }
    }
    return wanted.hot > 0 ? wanted : nil
  }
}
