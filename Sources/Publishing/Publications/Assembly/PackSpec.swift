// SPDX-License-Identifier: Apache-2.0

public import Curation

/// A pack of a recipe: the only one, or its part for a region or a shard.
public struct PackSpec: Sendable, Equatable {
  /// A valid file name, unique in a publication: `toxic`, `directory-us-212`, or `blocklist.2` for a second shard.
  public var name: String
  /// The recipe.
  public var recipe: Recipe
  /// The region of its numbers; nil for all.
  public var region: String?
  /// From 1; nil if the recipe has one shard.
  public var shard: Int?

  /// - Parameters: see the properties.
  public init(name: String, recipe: Recipe, region: String? = nil, shard: Int? = nil) {
    self.name = name
    self.recipe = recipe
    self.region = region
    self.shard = shard
  }
}
