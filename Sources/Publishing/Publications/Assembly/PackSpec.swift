public import Curation

/// One pack that a recipe makes: itself, or its part for a region or a shard.
public struct PackSpec: Sendable, Equatable {
  /// Safe in a file name and unique in a publication: `toxic`, `directory-us-212`, or `blocklist.2` for a second shard.
  public var name: String
  /// What is in it.
  public var recipe: Recipe
  /// The region its numbers lie in; nil for all.
  public var region: String?
  /// From 1; nil where the recipe has one shard.
  public var shard: Int?

  /// - Parameters: see the properties.
  public init(name: String, recipe: Recipe, region: String? = nil, shard: Int? = nil) {
    self.name = name
    self.recipe = recipe
    self.region = region
    self.shard = shard
  }
}
