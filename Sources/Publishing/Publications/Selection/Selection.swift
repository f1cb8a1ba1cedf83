public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL
import Storage

/// Which numbers a publication may take because of reports.
///
/// The database only leaves out what is too cold for every threshold; ``Curation/Score`` judges the rest one by one.
public struct Selection: Sendable {
  let country: @Sendable (Int64) -> String?

  /// With countries by libphonenumber.
  public init() {
    let countries = RegionMap.countries
    self.init { countries.region(of: $0) }
  }

  /// - Parameter country: ISO 3166 alpha-2 of a number's country; asked only where a country has a threshold of its own.
  public init(country: @escaping @Sendable (Int64) -> String?) {
    self.country = country
  }

  /// Hands over the numbers that are listed at `time`, in ascending order, a batch at a time.
  ///
  /// A number that the last publication lists stays while it is not under its leaving threshold; any other must be over
  /// its entering one. Memory is bounded by a batch.
  /// - Parameters:
  ///   - suspects: numbers that are held back although the snapshot does not say so.
  ///   - cut: leaves out what is below it and no decision or range asks for; ranges that share more heat must not be there.
  ///   - state: what was decided beside the reports, in the same snapshot; nil reads it.
  ///   - connection: within a transaction that reads one snapshot; nothing else may be asked of it meanwhile.
  public func forEachListed(
    at time: Date, without suspects: Set<Int64> = [], cut: SelectionCut? = nil, state: CurationState? = nil,
    on connection: PostgresConnection, _ body: ([ListedNumber]) async throws -> Void
  ) async throws {
    let thresholds = try await ThresholdStore.current(on: connection).set
    var state = if let state { state } else { try await CurationStateStore.load(at: time, on: connection) }
    state.held.formUnion(suspects)
    var merge = CurationMerge(state)
    try await NumberRecordStore.forEachRecord(
      hotterThan: thresholds.lowestListedHeat, cut: cut, at: time, on: connection
    ) { records in
      let listed = merge.take(records.compactMap { self.listed($0, at: time, by: thresholds, in: state) })
      if !listed.isEmpty { try await body(listed) }
    }
    let rest = merge.finish()
    for start in stride(from: 0, to: rest.count, by: Self.batchSize) {
      try await body(Array(rest[start..<min(start + Self.batchSize, rest.count)]))
    }
  }

  /// Where the numbers may be cut for recipes whose packs overflow by far; nil where all should be read.
  ///
  /// - Parameters:
  ///   - packs: how many packs a recipe makes.
  ///   - state: what was decided beside the reports.
  public func cut(
    for recipes: [Recipe], at time: Date, in state: CurationState, on connection: PostgresConnection,
    packs: (Recipe) -> Int
  ) async throws -> SelectionCut? {
    guard let wanted = SelectionCut.numbers(for: recipes, packs: packs) else { return nil }
    let thresholds = try await ThresholdStore.current(on: connection).set
    let cut = try await NumberRecordStore.cut(
      hot: wanted.hot, identified: wanted.identified, hotterThan: thresholds.lowestListedHeat, at: time, on: connection)
    // A member of a range that was read ranks by its own reports, one that was not by its share: both must be below.
    guard let cut, state.ranges.allSatisfy({ $0.heat / Double($0.range.size) < cut.heat }) else { return nil }
    return cut
  }

  /// The most numbers of a batch that no report asks for.
  private static let batchSize = 10_000

  /// What becomes of one record: nil where it is not listed. A decided number comes with what its reports say, for
  /// `CurationMerge` to say what its decision does.
  /// - Parameter state: what was decided beside the reports.
  public func listed(
    _ record: NumberRecord, at time: Date, by thresholds: ThresholdSet, in state: CurationState = CurationState()
  ) -> ListedNumber? {
    let score = Score(record, at: time)
    let evaluation = score.judge(by: thresholds, in: state.overrides(of: record.number)) { country(record.number) }
    guard [.listed, .candidate, .decided].contains(evaluation.verdict) else { return nil }
    guard let category = evaluation.category ?? (evaluation.verdict == .decided ? .other : nil) else { return nil }
    return ListedNumber(
      number: record.number, category: category, treatment: state.treatment(of: record.number), heat: score.heat,
      evidence: score.evidence, identifications: score.identifications)
  }
}
