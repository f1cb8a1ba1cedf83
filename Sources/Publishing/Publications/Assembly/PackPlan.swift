// SPDX-License-Identifier: Apache-2.0

public import Curation
import PhoneNumbers

/// The packs of the recipes, and the packs that a number belongs to.
struct PackPlan {
  /// A pack that is being assembled.
  struct Pack {
    var spec: PackSpec
    /// Index of its recipe.
    var recipe: Int
    /// The count of numbers that the recipe includes.
    var candidates = 0
    /// The last included rank, if there are more candidates than the limit.
    var last: BestEntries.Rank?
    /// The count of numbers that each rule would add.
    var ranges: [Int: Int] = [:]
    /// The count of numbers that the chosen rules add.
    var added = 0
  }

  let rules: [RecipeRule]
  private(set) var packs: [Pack] = []
  private let regions: RegionMap
  private let needsRegion: Bool
  /// Pack indices by recipe, region (0 for none) and shard; -1 for no pack.
  private var places: [[Int]] = []
  /// By recipe: the rules that its packs have room for.
  private(set) var chosen: [Set<Int>]
  /// By recipe: the regions that it is limited to, as indices of the map.
  private let allowed: [Set<Int>?]

  /// - Throws: ``AssemblyError/sameName(_:)``.
  init(recipes: [Recipe], regions: RegionMap) throws {
    rules = recipes.map(RecipeRule.init)
    chosen = recipes.map { _ in [] }
    self.regions = regions
    needsRegion = recipes.contains { $0.area != .everywhere }
    allowed = recipes.map { recipe in
      guard case .regions(let names) = recipe.area else { return nil }
      return Set(names.compactMap { name in regions.regions.firstIndex(of: name) })
    }
    for (index, recipe) in recipes.enumerated() {
      let areas: [String?] = recipe.area == .split ? regions.regions : [nil]
      var row: [Int] = []
      for area in areas {
        for shard in 0..<recipe.shards.count {
          row.append(packs.count)
          let spec = PackSpec(
            name: recipe.packName(region: area, shard: shard), recipe: recipe, region: area,
            shard: recipe.shards.count > 1 ? shard + 1 : nil)
          packs.append(Pack(spec: spec, recipe: index))
        }
      }
      places.append(row)
    }
    var names: Set<String> = []
    for pack in packs where !names.insert(pack.spec.name).inserted { throw AssemblyError.sameName(pack.spec.name) }
  }

  /// Calls `body` with each pack that the number is a candidate for, and its rank there.
  func forEachPack(of number: MergedNumber, _ body: (Int, BestEntries.Rank) throws -> Void) rethrows {
    let region = needsRegion ? regions.index(of: number.number) : nil
    for index in rules.indices {
      let rule = rules[index]
      guard let score = rule.score(number) else { continue }
      var place = 0
      if !rule.isEverywhere {
        guard let region, allowed[index]?.contains(region) ?? true else { continue }
        if rule.isSplit { place = region * rule.shardCount }
      }
      if rule.shardCount > 1 { place += rule.recipe.shards.index(of: number.number) }
      try body(places[index][place], BestEntries.Rank(score: score, number: number.number))
    }
  }

  /// Calls `body` with each part of a range and the pack that may contain it.
  func forEachPart(of range: MergedNumber, _ body: (Int, ClosedRange<Int64>) throws -> Void) rethrows {
    for index in rules.indices {
      let rule = rules[index]
      guard rule.recipe.ranges > 0, rule.score(range) != nil else { continue }
      var next = range.number
      while next <= range.last {
        var (place, last): (Int?, Int64) = (0, range.last)
        if !rule.isEverywhere {
          let stretch = regions.stretch(from: next)
          last = min(last, stretch.last)
          place = stretch.index.flatMap { allowed[index]?.contains($0) ?? true ? $0 : nil }
          if !rule.isSplit, place != nil { place = 0 }
        }
        if rule.shardCount > 1 {
          let shard = rule.recipe.shards.part(from: next)
          last = min(last, shard.last)
          place = place.map { $0 * rule.shardCount + shard.index }
        }
        if let place { try body(places[index][place], next...last) }
        next = last + 1
      }
    }
  }

  mutating func note(candidates: [Int], ranges: [[Int: Int]]) {
    for index in packs.indices { (packs[index].candidates, packs[index].ranges) = (candidates[index], ranges[index]) }
  }

  /// Chooses for each recipe the rules whose numbers all its packs have room for, those with the highest heat first, then
  /// those with fewer numbers.
  /// - Returns: the rules that were left out, by recipe.
  mutating func choose(_ ranges: [RangeRule]) -> [AssembledPacks.LeftOut] {
    let order = ranges.indices.sorted { one, other in
      let (a, b) = (ranges[one], ranges[other])
      return a.heat != b.heat ? a.heat > b.heat : (a.range.size, one) < (b.range.size, other)
    }
    var leftOut: [AssembledPacks.LeftOut] = []
    for (index, rule) in rules.enumerated() where rule.recipe.ranges > 0 {
      let indices = places[index]
      var room = indices.map {
        min(rule.recipe.ranges, rule.recipe.limit - min(rule.recipe.limit, packs[$0].candidates))
      }
      for place in order {
        let sizes = indices.map { packs[$0].ranges[place] ?? 0 }
        guard sizes.contains(where: { $0 > 0 }) else { continue }
        if zip(sizes, room).allSatisfy(<=) {
          chosen[index].insert(place)
          for pack in room.indices { room[pack] -= sizes[pack] }
        } else {
          leftOut.append(.init(recipe: rule.recipe.name, range: ranges[place].range.text, numbers: sizes.reduce(0, +)))
        }
      }
      for pack in indices {
        packs[pack].added = packs[pack].ranges.reduce(0) { chosen[index].contains($1.key) ? $0 + $1.value : $0 }
      }
    }
    return leftOut
  }

  func entries(of pack: Int) -> Int {
    min(packs[pack].candidates, packs[pack].spec.recipe.limit) + packs[pack].added
  }

  mutating func limit(_ pack: Int, to last: BestEntries.Rank?) { packs[pack].last = last }

  /// Whether every pack is full of entries that rank before all numbers below a cut.
  func isWhole(above cut: SelectionCut) -> Bool {
    packs.allSatisfy { pack in
      let recipe = pack.spec.recipe
      guard recipe.source != .directory else { return true }
      // If all numbers with identifications were read, none is missing.
      if recipe.isIdentifiedOnly, cut.identifications == 0 { return true }
      let bound = cut.bound(of: recipe.ranking)
      return pack.last.map { bound > 0 ? $0.score >= bound : $0.score > 0 } ?? false
    }
  }

  func isIn(_ pack: Int, _ rank: BestEntries.Rank) -> Bool {
    guard let last = packs[pack].last else { return true }
    return !rank.isBehind(last)
  }
}

/// A pack of a recipe: the only one, or its part for a region or a shard.
public struct PackSpec: Sendable, Equatable {
  /// A valid file name, unique in a publication: `toxic`, `directory-us-212`, or `blocklist.2` for a second shard.
  public var name: String
  public var recipe: Recipe
  /// The region of its numbers; nil for all.
  public var region: String?
  /// From 1; nil if the recipe has one shard.
  public var shard: Int?
}
