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
    var explanation = Explanation(number: number, time: time)
    explanation.country = RegionMap.countries.region(of: number)
    explanation.protection = try await ProtectionStore.rule(for: number, on: connection)
    explanation.ruling = try await connection.run(ReadStandingRuling(number: number)).first
    if let ruling = explanation.ruling {
      explanation.rulingReason =
        try await connection.run(ReadRulings(number: number)).first { $0.id == ruling.rulingID }?.reason
    }
    explanation.hold = try await connection.run(ReadHolds(only: number)).first.map { hold in
      Explanation.Hold(rule: hold.rule, detail: hold.detail, heldAt: hold.heldAt)
    }
    explanation.listing = try await connection.run(ReadListing(number: number)).first
    explanation.range = try await connection.run(ReadRangeOfNumber(number: number)).first
    explanation.openAppeals =
      try await connection.run(ReadAppeals(number: number)).count { $0.state == .open }
    explanation.isVictim = try await AppealStore.victims(at: time, numbers: [number], on: connection).contains(number)
    if let record = try await RecordStore.record(of: number, on: connection) {
      try await explanation.add(record, on: connection)
    }
    return explanation
  }
}

extension Explanation {
  fileprivate mutating func add(_ record: NumberRecord, on connection: PostgresConnection) async throws {
    let score = Score(record, at: time)
    let circumstances = Circumstances(
      country: country, isProtected: protection != nil, isRuled: ruling != nil, isHeld: hold != nil)
    self.score = score
    judgement = score.judge(by: try await ThresholdStore.current(on: connection).set, in: circumstances)
    (firstReportedAt, lastReportedAt) = (record.firstReportedAt, record.lastReportedAt)
    weights = try await connection.run(ReadNumberWeights(number: number)).first ?? Weights()
    let names = try await connection.run(ReadAppNames(apps: score.lists.map(\.appID)))
    lists = Dictionary(names.map { ($0.id, $0.name) }) { first, _ in first }
  }
}
