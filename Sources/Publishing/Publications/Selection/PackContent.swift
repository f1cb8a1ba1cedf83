import CallerPackBuilder
public import Curation
public import Foundation
public import PhoneNumbers
public import PostgreSQL
import Storage

/// What fills the packs of a publication: all of it from one snapshot.
struct PackContent: Sendable {
  let store: PublicationStore
  let selection: Selection
  let recipes: [Recipe]
  let sources: ContentSources
  /// For files that are gone with the process.
  let temporaryFolder: String
  /// Finds what a snapshot has and must not be published.
  var review: @Sendable (Date, PostgresConnection) async throws -> Set<Int64> = { _, _ in [] }
  /// Loads what tells why a number may never be published.
  var protection: @Sendable (PostgresConnection) async throws -> @Sendable (Int64) -> String? = { _ in { _ in nil } }

  /// What was written, and what its snapshot protects.
  struct Written: Sendable {
    var packs: AssembledPacks
    var protection: @Sendable (Int64) -> String?
  }

  /// Writes the packs that the recipes ask for.
  /// - Parameters:
  ///   - spool: keeps what packs hold other than by a directory alone.
  ///   - open: makes the writer of a pack.
  ///   - progress: told the part that is done, 0 to 1.
  func fill(
    at time: Date, spool: ListedSpool, open: @escaping @Sendable (PackSpec) throws -> PackWriter,
    progress: @escaping @Sendable (JobStep, Double) -> Void
  ) async throws -> Written {
    try await store.withSnapshot { connection in
      let protection = try await protection(connection)
      let revoked = try await PublicationStore.revokedNumbers(on: connection)
      progress(.findingBrigades, 0)
      let suspects = try await review(time, connection)
      progress(.selectingNumbers, 0)
      let state = try await CurationStateStore.load(at: time, on: connection)
      let assembler = PackAssembler(
        recipes: recipes, regions: try await sources.regions(connection), temporaryFolder: temporaryFolder)
      let cut = try await selection.cut(
        for: recipes, at: time, in: state, on: connection, packs: assembler.packCount(of:))
      func assemble(_ cut: SelectionCut?) async throws -> AssembledPacks {
        let writer = try ListedSpool.Writer(spool)
        let packs = try await assembler.assemble(
          cut: cut,
          listed: { take in
            try await selection.forEachListed(
              at: time, without: suspects, cut: cut, state: state, on: connection, take)
          },
          directory: { take in
            try await sources.directory(connection, time) { batch in
              try await take(batch.filter { protection($0.number) == nil && !revoked.contains($0.number) })
            }
          },
          placed: writer.append, progress: { progress($0.step, $0.part) }, openWriter: open)
        try writer.finish()
        return packs
      }
      do {
        return Written(packs: try await assemble(cut), protection: protection)
      } catch AssemblyError.cutTooHigh {
        return Written(packs: try await assemble(nil), protection: protection)
      }
    }
  }
}

/// Where a publication's names and regions come from.
public struct ContentSources: Sendable {
  /// Which region a number lies in, as the snapshot has it.
  public var regions: @Sendable (PostgresConnection) async throws -> RegionMap
  /// Hands over what directories name at a time, in ascending order, in batches.
  public var directory:
    @Sendable (PostgresConnection, Date, @Sendable ([DirectoryEntry]) async throws -> Void) async throws -> Void

  /// - Parameters: see the properties; by default countries are the regions, and there is no directory.
  public init(
    regions: @escaping @Sendable (PostgresConnection) async throws -> RegionMap = { _ in .countries },
    directory:
      @escaping @Sendable (PostgresConnection, Date, @Sendable ([DirectoryEntry]) async throws -> Void) async throws ->
      Void = { _, _, _ in }
  ) {
    self.regions = regions
    self.directory = directory
  }
}

extension AssemblyProgress {
  fileprivate var step: JobStep {
    switch phase {
    case .reading: .readingNumbers(done)
    case .selecting: .selectingNumbers
    case .writing: .writing(pack: pack)
    }
  }

  /// Reading and choosing take about as long as writing. How much there is to read nobody knows: what is read brings the
  /// bar on, by less and less.
  fileprivate var part: Double {
    let share = total.map { $0 > 0 ? Double(done) / Double($0) : 1 } ?? 0
    return switch phase {
    case .reading: 0.4 * Double(done) / (Double(done) + 300_000)
    case .selecting: 0.4 + share * 0.1
    case .writing: 0.5 + share * 0.5
    }
  }
}
