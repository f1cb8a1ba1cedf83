// SPDX-License-Identifier: Apache-2.0

public import CallerPack
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

  /// Includes empty packs.
  func packCount(of recipe: Recipe) -> Int {
    recipe.shards.count * (recipe.area == .split ? regions.regions.count : 1)
  }

  /// Otherwise the directory feed is not read.
  var needsDirectory: Bool { recipes.contains { $0.source != .reports } }

  /// Assembles all packs one after another on its own thread.
  /// - Parameters:
  /// - ranges: the ranges that rules list, of the same snapshot; they need room after the numbers that are listed by
  ///   themselves.
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
    ranges: RuledRanges = RuledRanges(), cut: SelectionCut? = nil, listed: Feed<ListedNumber>,
    directory: Feed<DirectoryEntry>,
    placed: @escaping @Sendable ([ListedNumber]) throws -> Void = { _ in },
    evident: @escaping @Sendable ([ListedNumber]) throws -> Void = { _ in },
    progress: @escaping @Sendable (AssemblyProgress) -> Void = { _ in },
    openWriter: @escaping @Sendable (PackSpec) throws -> PackWriter
  ) async throws -> AssembledPacks {
    let work = try AssemblyWork(
      plan: PackPlan(recipes: recipes, regions: regions), ranges: ranges, folder: temporaryFolder, progress: progress)
    try await listed { try await work.take($0) }
    // A rule lists no number that a directory names.
    if needsDirectory || !ranges.ranges.isEmpty { try await directory { try await work.take($0) } }
    return try await work.finish(cut: cut, placed: placed, evident: evident, openWriter)
  }
}

/// The ranges that rules list.
public struct RuledRanges: Sendable {
  /// Ascending, without overlaps.
  public var ranges: [RuledRange]
  /// The rules, in the order to which ``RuledRange/rule`` refers.
  public var rules: [RangeRule]

  public init(_ ranges: [RuledRange] = [], by rules: [RangeRule] = []) {
    (self.ranges, self.rules) = (ranges, rules)
  }
}

public struct AssembledPacks: Sendable, Equatable {
  /// A pack that was written.
  public struct Pack: Sendable, Equatable {
    public var spec: PackSpec
    public var summary: PackSummary
    /// The count of numbers that the recipe would include without its limit.
    public var candidates: Int
  }

  /// A rule that a recipe's packs have no room for.
  public struct LeftOut: Sendable, Equatable {
    public var recipe: String
    public var range: String
    /// The numbers that it would add.
    public var numbers: Int
  }

  /// In the order of recipes, regions and shards.
  public var packs: [Pack]
  /// Packs that were not written because they would be empty, in the same order.
  public var empty: [PackSpec]
  /// The numbers that packs include because of rules; ascending, without overlaps.
  public var ranges: [RuledRange] = []
  public var leftOut: [LeftOut] = []
  /// The count of listed numbers read.
  public var listed: Int
  /// The count of directory entries read.
  public var named: Int
}

public struct AssemblyProgress: Sendable, Equatable {
  public enum Phase: String, Sendable {
    /// Numbers and names are read from the database; the total is unknown.
    case reading
    case selecting
    case writing
  }

  public var phase: Phase
  /// Numbers read, numbers checked, or entries written.
  public var done: Int
  /// The final value of ``done``; nil if unknown.
  public var total: Int?
  public var pack: String?
}

/// Reasons why packs could not be assembled.
public enum AssemblyError: Error, Equatable, CustomStringConvertible {
  case notAscending(source: String, number: Int64, after: Int64)
  /// A text is longer than a spool allows.
  case textTooLong(number: Int64)
  /// A pack needs numbers that the cut omitted.
  case cutTooHigh
  /// Two packs would have the same name.
  case sameName(String)

  /// The code and its values for logs. Localization makes sentences for people.
  public var description: String { PublicationFailure(self).json }
}
