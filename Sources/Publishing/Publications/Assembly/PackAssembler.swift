// SPDX-License-Identifier: Apache-2.0

public import CallerPackBuilder
public import Curation
public import PhoneNumbers

/// Makes the packs of recipes from two streams of numbers, in bounded memory.
///
/// If a number is both listed and in a directory, blocking uses only the listing. Identification uses a moderator's
/// label, then the label for complaints, then the directory's name. A recipe that excludes a number's category may
/// still include its directory name, if it uses directories.
///
/// If a pack overflows, it has the numbers of the highest rank; equal ranks are ordered by number.
///
/// Memory: a block of 16 KB for each pack, one writer, and 16 bytes for each ranked entry of overflowing packs: at most
/// ``rankedEntries`` or the entries of the largest pack. Temporary files: about 40 bytes for each listed number, and 18
/// plus the name for each directory entry.
public struct PackAssembler: Sendable {
  /// Passes elements on in ascending order, in batches.
  public typealias Feed<Element> = @Sendable (_ body: @Sendable ([Element]) async throws -> Void) async throws -> Void

  /// Maximum entries of overflowing packs ranked at a time, unless a single pack has more.
  static let rankedEntries = 2_000_000

  private let recipes: [Recipe]
  private let regions: RegionMap
  private let temporaryFolder: String

  /// - Parameters:
  /// - regions: the regions of numbers, for recipes by region.
  /// - temporaryFolder: must exist; its files have no names, so nothing remains when the process dies.
  public init(recipes: [Recipe], regions: RegionMap, temporaryFolder: String) {
    self.recipes = recipes
    self.regions = regions
    self.temporaryFolder = temporaryFolder
  }

  /// The number of packs of a recipe, including empty ones.
  public func packCount(of recipe: Recipe) -> Int {
    recipe.shards.count * (recipe.area == .split ? regions.regions.count : 1)
  }

  /// Whether any recipe uses directory names; the directory feed is not read otherwise.
  public var needsDirectory: Bool { recipes.contains { $0.source != .reports } }

  /// Assembles all packs one after another on its own thread.
  /// - Parameters:
  /// - cut: numbers below it may be missing; the result is valid only if all packs are full without them.
  /// - listed: numbers that are listed because of complaints or decisions.
  /// - directory: directory entries of the same snapshot.
  /// - placed: receives, ascending and without labels, the numbers that packs include because they are listed, with the
  ///   treatment that the packs give. Numbers without room and numbers from a directory alone are not among them.
  /// - evident: receives those in packs whose recipes share evidence.
  /// - openWriter: opens a pack's writer; called for each pack after the previous one is finished.
  /// - Throws: ``AssemblyError``, `PackError`, and errors of the feeds; no writer stays open then.
  ///   ``AssemblyError/cutTooHigh`` is thrown before any writer is opened.
  public func assemble(
    cut: SelectionCut? = nil, listed: Feed<ListedNumber>, directory: Feed<DirectoryEntry>,
    placed: @escaping @Sendable ([ListedNumber]) throws -> Void = { _ in },
    evident: @escaping @Sendable ([ListedNumber]) throws -> Void = { _ in },
    progress: @escaping @Sendable (AssemblyProgress) -> Void = { _ in },
    openWriter: @escaping @Sendable (PackSpec) throws -> PackWriter
  ) async throws -> AssembledPacks {
    let work = try AssemblyWork(
      plan: PackPlan(recipes: recipes, regions: regions), folder: temporaryFolder, progress: progress)
    try await listed { try await work.take($0) }
    if needsDirectory { try await directory { try await work.take($0) } }
    return try await work.finish(cut: cut, placed: placed, evident: evident, openWriter)
  }
}
