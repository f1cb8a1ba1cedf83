/// What packs exist: one recipe makes one pack, or one for each region and shard.
public struct Recipe: Sendable, Equatable {
  /// What the phone does with an entry.
  public enum Kind: String, Sendable, CaseIterable {
    /// The call does not ring; entries have no label.
    case blocking
    /// The call rings under the entry's label.
    case identification
  }

  /// Where entries come from.
  public enum Source: String, Sendable, CaseIterable {
    /// Numbers that are listed because of complaints or decisions.
    case reports
    /// Numbers that a directory names.
    case directory
    /// Both; see ``Recipe`` for who wins.
    case both
  }

  /// How much memory a reader of the pack may need.
  public enum Profile: String, Sendable, CaseIterable {
    /// 1.25 MB; the pack is smaller.
    case standard
    /// 400 KB.
    case lean
  }

  /// Which numbers, by where they lie.
  public enum Area: Sendable, Equatable {
    /// All.
    case everywhere
    /// Those of these regions, in one pack.
    case regions([String])
    /// A pack for each region; numbers of no region are in none.
    case split
  }

  /// Lower-case letters, digits and hyphens, at most 40; has `{region}` once where the area is ``Area/split``.
  public var name: String
  /// What the phone does with the entries.
  public var kind: Kind
  /// The most entries of a pack, 1 to 1,999,999: what one extension may hold.
  public var limit: Int
  /// Where entries come from; a blocking recipe takes ``Source/reports``.
  public var source: Source
  /// Which entries stay when there are more than ``limit``.
  public var ranking: Ranking
  /// Categories of complaints that are taken; all where nil. A directory's entries have none and are not asked.
  public var categories: Set<ReportCategory>?
  /// Which numbers, by where they lie.
  public var area: Area
  /// What an entry is called.
  public var labels: RecipeLabels
  /// How much memory a reader may need.
  public var profile: Profile
  /// Into how many packs it is divided, and where.
  public var shards: Shards
  /// Formats besides packs, by the names of ``formatNames``.
  public var formats: [String]
  /// Whether only numbers are taken that phones have told of calls from.
  public var isIdentifiedOnly: Bool
  /// Whether a pack is written that has no entries.
  public var keepsEmpty: Bool

  /// - Parameters: see the properties.
  public init(
    name: String, kind: Kind, limit: Int, source: Source = .reports, ranking: Ranking = .heat,
    categories: Set<ReportCategory>? = nil, area: Area = .everywhere, labels: RecipeLabels = RecipeLabels(),
    profile: Profile = .standard, shards: Shards = .one, formats: [String] = [],
    isIdentifiedOnly: Bool = false, keepsEmpty: Bool = false
  ) {
    precondition((1...Self.mostEntries).contains(limit))
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
  }

  /// The most entries of one Call Directory extension (2,000,000 fails).
  public static let mostEntries = 1_999_999

  /// The formats that a list can also be written in, as PackFormats names them.
  public static let formatNames = [
    "tsv", "csv", "jsonl", "2gis", "2gis-gz", "sqlite", "fritzbox", "asterisk", "freepbx",
  ]
}
