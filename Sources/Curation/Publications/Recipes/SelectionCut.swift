/// A line through the numbers that were complained of: those below both sides need not be read, where the packs are full
/// without them.
///
/// A pack of N entries needs the N that rank first. Whoever is below the cut ranks below ``bound(of:)``; so when a pack is
/// full, and its last entry ranks no lower, it is what it would be without the cut.
public struct SelectionCut: Sendable, Equatable {
  /// Decayed heat.
  public var heat: Double
  /// Decayed calls that phones told of; infinite where they do not count.
  public var identifications: Double

  /// - Parameters: see the properties.
  public init(heat: Double, identifications: Double) {
    self.heat = heat
    self.identifications = identifications
  }

  /// Every number below the cut ranks below this; infinite where nothing is known.
  public func bound(of ranking: Ranking) -> Double {
    guard ranking.evidence == 0 else { return .infinity }
    return ranking.score(
      heat: ranking.heat > 0 ? heat : 0, identifications: ranking.identifications > 0 ? identifications : 0, evidence: 0
    )
  }

  /// How many numbers should be above each side for these recipes; nil where a cut is of no use.
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
