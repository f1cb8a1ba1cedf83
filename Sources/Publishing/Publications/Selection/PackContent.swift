// SPDX-License-Identifier: Apache-2.0

import CallerPackBuilder
public import Curation
public import Foundation
public import PhoneNumbers
public import PostgreSQL
import Storage

/// Fills the packs of a publication from one snapshot.
struct PackContent: Sendable {
  let store: PublicationStore
  let selection: Selection
  let recipes: [Recipe]
  let sources: ContentSources
  let temporaryFolder: String
  /// Judges the holds of the snapshot; nil leaves them as they are.
  var review: @Sendable (Date, PostgresConnection) async throws -> BrigadeReview.Outcome? = { _, _ in nil }
  /// Loads a function that returns the reason why a number is protected, or nil.
  var protection: @Sendable (PostgresConnection) async throws -> ProtectionLookup = { _ in .none }
  /// The id of this server; nil if no recipe shares evidence.
  var server: ServerID?

  /// The written packs, with the protection, the reasons of changes and the evidence of their snapshot.
  struct Written: Sendable {
    var packs: AssembledPacks
    var protection: ProtectionLookup
    var changes: ExplainedChanges
    var sources: PublicationSources
    /// Nil if no recipe shares evidence.
    var evidence: ProvenanceSpool?
  }

  /// Writes the packs of the recipes.
  /// - Parameters:
  /// - spool: receives the listings.
  /// - open: creates the writer of a pack.
  /// - progress: receives the step and the fraction done, 0 to 1.
  func fill(
    at time: Date, spool: ListedSpool, open: @escaping @Sendable (PackSpec) throws -> PackWriter,
    progress: @escaping @Sendable (JobStep, Double) -> Void
  ) async throws -> Written {
    try await store.withSnapshot { connection in
      let protection = try await protection(connection)
      let revoked = try await PublicationStore.revokedNumbers(on: connection)
      progress(.findingBrigades, 0)
      let outcome = try await review(time, connection)
      progress(.selectingNumbers, 0)
      let loaded = try await CurationStateStore.load(at: time, on: connection)
      let state = outcome.map(loaded.with) ?? loaded
      let assembler = PackAssembler(
        recipes: recipes, regions: try await sources.regions(connection), temporaryFolder: temporaryFolder)
      let sourceChanges = try await PublicationSources(on: connection)
      let thresholds = try await ThresholdStore.current(on: connection).set
      let cut = try await selection.cut(
        for: recipes, at: time, on: connection, packs: assembler.packCount(of:))
      let ranges = RuledRanges(state.ruledRanges(), by: state.rules)
      let shared = ListedSpool(path: "\(temporaryFolder)/evident")
      func assemble(_ cut: SelectionCut?) async throws -> Written {
        let writer = try ListedSpool.Writer(spool)
        let dependence = SourceDependence(thresholds, sourceChanges)
        let sharedWriter = try server.map { _ in try ListedSpool.Writer(shared) }
        let packs = try await assembler.assemble(
          ranges: ranges, cut: cut,
          listed: { take in
            try await selection.forEachListed(
              at: time, cut: cut, state: state, finding: dependence, on: connection, take)
          },
          directory: { take in
            try await sources.directory(connection, time) { batch in
              try await take(batch.filter { protection($0.number) == nil && !revoked.contains($0.number) })
            }
          },
          placed: writer.append, evident: { try sharedWriter?.append($0) }, progress: { progress($0.step, $0.part) },
          openWriter: open)
        try writer.finish()
        try spool.write(
          packs.ranges.map { range in
            ListedRange(range.numbers, blocks: range.treatment == .block, rule: state.rules[range.rule])
          })
        try sharedWriter?.finish()
        let changes = try await ExplainedChanges(
          dependence, sources: sourceChanges, state: state, revoked: revoked, protection: protection, on: connection)
        return Written(packs: packs, protection: protection, changes: changes, sources: sourceChanges)
      }
      var written: Written
      do {
        written = try await assemble(cut)
      } catch AssemblyError.cutTooHigh {
        written = try await assemble(nil)
      }
      written.evidence = try await evidence(
        for: shared, by: state.rules, written.packs.ranges, on: connection, progress: progress)
      return written
    }
  }

  /// The evidence for the listings of a file, which is removed.
  private func evidence(
    for listings: ListedSpool, by rules: [RangeRule], _ ruled: [RuledRange], on connection: PostgresConnection,
    progress: @Sendable (JobStep, Double) -> Void
  ) async throws -> ProvenanceSpool? {
    guard let server else { return nil }
    defer { unlink(listings.path) }
    let collector = ProvenanceCollector(server: server, rules: rules, ruled: ruled)
    return try await collector.collect(listings, in: temporaryFolder, on: connection) { done in
      progress(.readingNumbers(count: done), 1)
    }
  }
}

extension CurationState {
  func with(_ review: BrigadeReview.Outcome) -> CurationState {
    var state = self
    (state.held, state.reportCeilings) = (review.held, review.reportCeilings)
    (state.independentReporters, state.cleared) = (review.independentReporters, review.cleared)
    return state
  }
}

public struct ProtectionLookup: Sendable {
  private let reason: @Sendable (Int64) -> String?
  let first: @Sendable (ClosedRange<Int64>) -> Int64?

  public static let none = ProtectionLookup({ _ in nil }, first: { _ in nil })

  /// - Parameters:
  ///   - reason: returns why a number is protected; nil for all other numbers.
  ///   - first: returns the first protected number of a range; nil to ask about each of its numbers.
  public init(
    _ reason: @escaping @Sendable (Int64) -> String?, first: (@Sendable (ClosedRange<Int64>) -> Int64?)? = nil
  ) {
    self.reason = reason
    self.first = first ?? { range in range.first { reason($0) != nil } }
  }

  /// The reason why a number is protected; nil where it is not.
  func callAsFunction(_ number: Int64) -> String? { reason(number) }
}

/// Sources of a publication's names and regions.
public struct ContentSources: Sendable {
  /// Loads the regions of numbers from the snapshot.
  public var regions: @Sendable (PostgresConnection) async throws -> RegionMap
  /// Passes on the directory entries at a time, ascending, in batches.
  public var directory:
    @Sendable (PostgresConnection, Date, @Sendable ([DirectoryEntry]) async throws -> Void) async throws -> Void

  /// By default regions are countries, and there is no directory.
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
    case .reading: .readingNumbers(count: done)
    case .selecting: .selectingNumbers
    case .writing: pack.map { .writingPack(pack: $0) } ?? .writingPacks
    }
  }

  /// The fraction done. Reading and selecting take about as long as writing. The total to read is unknown, so the
  /// fraction approaches 0.4 asymptotically.
  fileprivate var part: Double {
    let share = total.map { $0 > 0 ? Double(done) / Double($0) : 1 } ?? 0
    return switch phase {
    case .reading: 0.4 * Double(done) / (Double(done) + 300_000)
    case .selecting: 0.4 + share * 0.1
    case .writing: 0.5 + share * 0.5
    }
  }
}
