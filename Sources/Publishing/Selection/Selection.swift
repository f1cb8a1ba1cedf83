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
  /// - Parameter connection: within a transaction that reads one snapshot; other statements may come between batches.
  public func forEachListed(
    at time: Date, on connection: PostgresConnection, _ body: ([ListedNumber]) async throws -> Void
  ) async throws {
    let thresholds = try await ThresholdStore.current(on: connection).set
    try await RecordStore.forEachRecord(hotterThan: thresholds.lowestListedHeat, at: time, on: connection) { records in
      let listed = records.compactMap { self.listed($0, at: time, by: thresholds) }
      if !listed.isEmpty { try await body(listed) }
    }
  }

  /// What becomes of one record: nil where it is not listed.
  public func listed(_ record: NumberRecord, at time: Date, by thresholds: ThresholdSet) -> ListedNumber? {
    let score = Score(record, at: time)
    let judgement = score.judge(by: thresholds, in: circumstances(of: record.number)) { country(record.number) }
    guard judgement.verdict == .listed || judgement.verdict == .candidate, let category = judgement.category else {
      return nil
    }
    return ListedNumber(
      number: record.number, category: category, heat: score.heat, evidence: score.evidence,
      identifications: score.identifications)
  }

  /// What others have decided. Nobody has: rulings, holds and protected numbers join here.
  private func circumstances(of number: Int64) -> Circumstances { Circumstances() }
}
