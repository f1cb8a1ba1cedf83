public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Gathers what explains a number.
public struct ExplanationStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where everything is kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Why a number is listed at `time`, or not; all of one snapshot.
  public func explain(_ number: Int64, at time: Date) async throws -> Explanation {
    try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true) { connection in
        try await Self.explain(number, at: time, on: connection)
      }
    }
  }

  static func explain(
    _ number: Int64, at time: Date, on connection: PostgresConnection
  ) async throws -> Explanation {
    try await read(number, at: time, on: connection).explanation
  }

  /// An explanation with what it was made of and a case shows, too.
  struct Reading {
    var explanation: Explanation
    var rulings: [RulingEvent]
    /// Settled or not.
    var hold: Hold?
    var appeals: [Appeal]
  }

  /// What needs nothing of the rest is asked for in one round trip: this is what each look-up waits for.
  static func read(
    _ number: Int64, at time: Date, on connection: PostgresConnection
  ) async throws -> Reading {
    let (patterns, numbers, standing, rulings, holds, listings, ranges, appeals, rows, versions, weights) =
      try await connection.pipeline(
        ReadProtectedPatterns(only: number), ReadProtectedNumbers(only: number), ReadStandingRuling(number: number),
        ReadRulings(number: number), ReadHold(number: number), ReadListing(number: number),
        ReadRangeOfNumber(number: number), ReadAppeals(number: number), ReadRecord(number: number),
        ReadThresholdVersions(version: nil, limit: 1), ReadNumberWeights(number: number))
    var explanation = Explanation(number: number, time: time)
    explanation.country = RegionMap.countries.region(of: number)
    explanation.protection = try ProtectionStore.rule(for: number, patterns: patterns, numbers: numbers)
    explanation.ruling = standing.first
    explanation.rulingReason = standing.first.flatMap { ruling in rulings.first { $0.id == ruling.rulingID }?.reason }
    explanation.hold = holds.first { !$0.isSettled }.map { hold in
      Explanation.Hold(rule: hold.rule, detail: hold.detail, heldAt: hold.heldAt)
    }
    explanation.listing = listings.first
    explanation.range = ranges.first
    explanation.openAppeals = appeals.count { $0.state == .open }
    if !appeals.isEmpty {
      explanation.isVictim =
        try await AppealStore.victims(at: time, numbers: [number], on: connection).contains(number)
    }
    guard let version = versions.first?.version else { throw StorageError.noThresholds(version: nil) }
    if let record = RecordAssembler.record(of: rows) {
      try await explanation.add(record, weights.first ?? Explanation.Weights(), thresholds: version, on: connection)
    }
    return Reading(explanation: explanation, rulings: rulings, hold: holds.first, appeals: appeals)
  }
}

extension Explanation {
  /// - Parameter version: of the thresholds that count.
  fileprivate mutating func add(
    _ record: NumberRecord, _ weights: Weights, thresholds version: Int32, on connection: PostgresConnection
  ) async throws {
    let score = Score(record, at: time)
    let (thresholds, sources, names) = try await connection.pipeline(
      ReadThresholds(version: version), ReadSources(version: version), ReadAppNames(apps: score.lists.map(\.appID)))
    let circumstances = Circumstances(
      country: country, isProtected: protection != nil, isRuled: ruling != nil, isHeld: hold != nil)
    self.score = score
    self.weights = weights
    judgement = score.judge(by: try ThresholdSet(thresholds: thresholds, sources: sources), in: circumstances)
    (firstReportedAt, lastReportedAt) = (record.firstReportedAt, record.lastReportedAt)
    lists = Dictionary(names.map { ($0.id, $0.name) }) { first, _ in first }
  }
}
