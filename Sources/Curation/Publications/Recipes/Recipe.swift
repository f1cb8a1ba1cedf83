// SPDX-License-Identifier: Apache-2.0

/// The definition of packs: one recipe makes one pack, or one for each region and shard.
public struct Recipe: Sendable, Equatable {
  /// The effect of an entry on the phone.
  public enum Kind: String, Sendable, CaseIterable {
    /// The call does not ring; entries have no label.
    case blocking
    /// The call rings and shows the entry's label.
    case identification
  }

  public enum Source: String, Sendable, CaseIterable {
    /// Numbers that are listed because of complaints or decisions.
    case reports
    case directory
    /// Both; a listed number takes its label by ``RecipeLabels/listed``.
    case both
  }

  /// The memory that a reader of the pack may need.
  public enum Profile: String, Sendable, CaseIterable {
    /// 1.25 MB; the pack is smaller.
    case standard
    /// 400 KB.
    case lean
  }

  /// The regions of the numbers.
  public enum Area: Sendable, Equatable {
    case everywhere
    /// Numbers of these regions, in one pack.
    case regions([String])
    /// A pack for each region; numbers of no region are in none.
    case split
  }

  /// Lowercase letters, digits and hyphens, at most 40; contains `{region}` once where the area is ``Area/split``.
  public var name: String
  public var kind: Kind
  /// The most entries of a pack, 1 to ``maxEntries``; one extension of an iPhone takes ``extensionEntries``.
  public var limit: Int
  /// A blocking recipe has ``Source/reports``.
  public var source: Source
  /// The order of entries, of which the first ``limit`` are kept.
  public var ranking: Ranking
  /// Categories of complaints that are included; nil for all. Directory entries have none and are always included.
  public var categories: Set<ReportCategory>?
  public var area: Area
  public var labels: RecipeLabels
  public var profile: Profile
  public var shards: Shards
  /// Formats besides packs, by the names of ``formatNames``.
  public var formats: [String]
  /// Whether only numbers are included for which phones have counted calls.
  public var isIdentifiedOnly: Bool
  public var keepsEmpty: Bool
  /// Whether the reasons of the listings are published with the pack; see ``ProvenanceRow``.
  public var sharesEvidence: Bool
  /// The most entries that rules for ranges may fill, after the numbers that are listed by themselves; 0 for none.
  public var ranges: Int

  public init(
    name: String, kind: Kind, limit: Int, source: Source = .reports, ranking: Ranking = .heat,
    categories: Set<ReportCategory>? = nil, area: Area = .everywhere, labels: RecipeLabels = RecipeLabels(),
    profile: Profile = .standard, shards: Shards = .one, formats: [String] = [],
    isIdentifiedOnly: Bool = false, keepsEmpty: Bool = false, sharesEvidence: Bool = false,
    ranges: Int = maxEntries
  ) {
    precondition((1...Self.maxEntries).contains(limit))
    self.name = name
    self.kind = kind
    self.limit = limit
    self.source = source
    self.ranking = ranking
    self.categories = categories
    self.area = area
    self.labels = labels
    self.profile = profile
    self.shards = shards
    self.formats = formats
    self.isIdentifiedOnly = isIdentifiedOnly
    self.keepsEmpty = keepsEmpty
    self.sharesEvidence = sharesEvidence
    self.ranges = ranges
  }

  /// The most entries of one Call Directory extension (2,000,000 fails).
  public static let extensionEntries = 1_999_999
  public static let maxEntries = Int(RangePattern.maxSize)

  /// The names of further formats, as in PackFormats.
  public static let formatNames = [
    "tsv", "csv", "jsonl", "2gis", "2gis-gz", "sqlite", "fritzbox", "asterisk", "freepbx", "spamblocker",
    "spamblocker-xml", "pbbl", "tranquille", "callblocker", "saracroche", "fossify", "ranges",
  ]
}

extension Recipe {
  /// Whether it includes numbers because of listings with this category and treatment.
  public func takes(_ category: ReportCategory, _ treatment: ListedNumber.Treatment) -> Bool {
    source != .directory && (kind == .identification || treatment == .block) && categories?.contains(category) ?? true
  }

  /// - Parameters:
  /// - region: of a pack of a recipe with the area ``Area/split``; nil for other areas.
  /// - shard: from 0.
  public func packName(region: String?, shard: Int) -> String {
    let name = region.map { self.name.replacing("{region}", with: $0.lowercased()) } ?? self.name
    return shards.count > 1 ? "\(name).\(shard + 1)" : name
  }

  /// The packs of an installation without its own recipes, as in Resources/recipes.yaml.
  public static let shipped = [
    Recipe(name: "toxic", kind: .identification, limit: extensionEntries, keepsEmpty: true),
    Recipe(
      name: "most-identified", kind: .identification, limit: 100_000, source: .both, ranking: .identifications,
      isIdentifiedOnly: true),
    Recipe(name: "blocklist", kind: .blocking, limit: extensionEntries, keepsEmpty: true),
    Recipe(
      name: "directory-{region}", kind: .identification, limit: extensionEntries, source: .directory,
      ranking: .identifications, area: .split),
  ]
}

/// The order of entries when there are more than a pack may contain: a weighted sum of decayed values as of the
/// publication's time. Entries of equal rank are ordered by number.
public struct Ranking: Sendable, Equatable {
  /// Weight of present complaints (half-life 14 days).
  public var heat: Double
  /// Weight of calls that phones counted (half-life 14 days).
  public var identifications: Double
  /// Weight of long-term complaints (half-life 125 days).
  public var evidence: Double
  /// Whether heat is multiplied by the usefulness of the number's classes.
  public var isUseful = false
  /// Set for each publication of a recipe that ``isUseful``.
  public var classes: ClassWeights?

  /// - Parameters: weights, 0 or more.
  public init(heat: Double = 0, identifications: Double = 0, evidence: Double = 0) {
    self.heat = heat
    self.identifications = identifications
    self.evidence = evidence
  }

  public static let heat = Ranking(heat: 1)
  public static let identifications = Ranking(identifications: 1)
  public static let evidence = Ranking(evidence: 1)
  public static var useful: Ranking {
    var ranking = heat
    ranking.isUseful = true
    return ranking
  }

  /// The rank of an entry; greater ranks come first.
  public func score(heat: Double, identifications: Double, evidence: Double) -> Double {
    self.heat * heat + self.identifications * identifications + self.evidence * evidence
  }

  /// The factor of a number's rank.
  public func weight(of number: Int64, _ cause: ListedNumber.Cause) -> Double {
    classes?.weight(of: number, cause) ?? 1
  }
}

/// A limit of selection: numbers below both of its values need not be read when the packs are full without them.
///
/// A pack of N entries needs the N with the greatest ranks. A number below the cut ranks below ``bound(of:)``; so a
/// full pack whose last entry does not rank lower is the same as without the cut.
public struct SelectionCut: Sendable, Equatable {
  public var heat: Double
  /// The least count of decayed calls; infinite where calls do not count.
  public var identifications: Double

  public init(heat: Double, identifications: Double) {
    self.heat = heat
    self.identifications = identifications
  }

  /// The rank that every number below the cut is under; infinite where it is unknown.
  public func bound(of ranking: Ranking) -> Double {
    guard ranking.evidence == 0, !ranking.isUseful else { return .infinity }
    return ranking.score(
      heat: ranking.heat > 0 ? heat : 0, identifications: ranking.identifications > 0 ? identifications : 0, evidence: 0
    )
  }

  /// The desired count of numbers above each limit for these recipes; nil where a cut is useless.
  public static func numbers(for recipes: [Recipe], packs: (Recipe) -> Int) -> (hot: Int, identified: Int)? {
    var wanted = (hot: 0, identified: 0)
    for recipe in recipes where recipe.source != .directory {
      let ranking = recipe.ranking
      guard ranking.evidence == 0, !ranking.isUseful, (ranking.heat > 0) != (ranking.identifications > 0) else {
        return nil
      }
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
