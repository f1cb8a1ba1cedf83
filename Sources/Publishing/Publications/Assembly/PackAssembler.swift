public import CallerPackBuilder
public import Curation
public import PhoneNumbers

/// Makes the packs of recipes from two streams of numbers, in bounded memory.
///
/// Who wins where a number is both listed and named by a directory: for blocking only the list counts; for identification
/// a moderator's label, then the label for complaints, then the directory's name. A recipe whose categories leave a listed
/// number out may still name it from the directory, if it takes directories.
///
/// Of more numbers than a pack may hold those of the highest rank are in it, of equal rank those of the least numbers.
///
/// Memory: a block of 16 KB a pack; 16 bytes for each entry of packs that overflow, at most
/// ``rankedEntries`` or those of the largest pack at a time; and one writer. The numbers wait in temporary files: about
/// 40 bytes a listed number, and 18 and its name an entry.
public struct PackAssembler: Sendable {
  /// Hands numbers over in ascending order, a batch at a time.
  public typealias Feed<Element> = @Sendable (_ body: @Sendable ([Element]) async throws -> Void) async throws -> Void

  /// Entries of overflowing packs that are ranked at a time, where no single pack has more.
  static let rankedEntries = 2_000_000

  private let recipes: [Recipe]
  private let regions: RegionMap
  private let temporaryFolder: String

  /// - Parameters:
  ///   - regions: where a number lies, for recipes by region.
  ///   - temporaryFolder: must exist; files in it have no name, so that nothing is left when the process dies.
  public init(recipes: [Recipe], regions: RegionMap, temporaryFolder: String) {
    self.recipes = recipes
    self.regions = regions
    self.temporaryFolder = temporaryFolder
  }

  /// How many packs a recipe makes, with those that turn out empty.
  public func packCount(of recipe: Recipe) -> Int {
    recipe.shards.count * (recipe.area == .split ? regions.regions.count : 1)
  }

  /// Whether any recipe takes names of directories: the feed is not asked otherwise.
  public var needsDirectory: Bool { recipes.contains { $0.source != .reports } }

  /// Assembles all packs, one after another, on a thread of its own.
  /// - Parameters:
  ///   - cut: below it numbers may be missing; packs are only what they should be when they are full without them.
  ///   - listed: numbers that are listed because of complaints or decisions.
  ///   - directory: numbers that directories name, of the same snapshot.
  ///   - placed: handed those listed numbers that packs hold because they are listed, in order and without their labels:
  ///     what finds no room, or is named by a directory alone, is not published.
  ///   - openWriter: opens the pack's writer; called once a pack, when the one before is finished.
  /// - Throws: ``AssemblyError``, `PackError`, and what the feeds throw; then no writer is left open.
  ///   ``AssemblyError/cutTooHigh`` before any is opened.
  public func assemble(
    cut: SelectionCut? = nil, listed: Feed<ListedNumber>, directory: Feed<DirectoryEntry>,
    placed: @escaping @Sendable ([ListedNumber]) throws -> Void = { _ in },
    progress: @escaping @Sendable (AssemblyProgress) -> Void = { _ in },
    openWriter: @escaping @Sendable (PackSpec) throws -> PackWriter
  ) async throws -> AssembledPacks {
    let work = try AssemblyWork(
      plan: PackPlan(recipes: recipes, regions: regions), folder: temporaryFolder, progress: progress)
    try await listed { try await work.take($0) }
    if needsDirectory { try await directory { try await work.take($0) } }
    return try await work.finish(cut: cut, placed: placed, openWriter)
  }
}
