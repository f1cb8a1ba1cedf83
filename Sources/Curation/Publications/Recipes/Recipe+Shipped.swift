// SPDX-License-Identifier: Apache-2.0

extension Recipe {
  /// The packs of an installation without its own recipes, as in Resources/recipes.yaml.
  public static let shipped = [
    Recipe(name: "toxic", kind: .identification, limit: 100_000, keepsEmpty: true),
    Recipe(
      name: "most-identified", kind: .identification, limit: 100_000, source: .both, ranking: .identifications,
      isIdentifiedOnly: true),
    Recipe(name: "blocklist", kind: .blocking, limit: mostEntries, keepsEmpty: true),
    Recipe(
      name: "directory-{region}", kind: .identification, limit: mostEntries, source: .directory,
      ranking: .identifications, area: .split),
  ]
}
