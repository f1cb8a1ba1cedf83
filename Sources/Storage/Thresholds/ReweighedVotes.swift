// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// The change of numbers that other weights of new reporters would cause, for a preview.
public struct ReweighedVotes: Sendable {
  private let changes: [Int64: [NumberAggregate.Part]]

  /// Reads the changes of a snapshot.
  /// - Parameters:
  ///   - rules: the proposed weights.
  ///   - heat: numbers with less decayed heat are left out.
  public init(
    by rules: [AttestationRule], hotterThan heat: Double, at time: Date, on connection: PostgresConnection
  ) async throws {
    var changes: [Int64: [NumberAggregate.Part]] = [:]
    let stored = Decay.heat.storedSum(of: heat, at: time)
    for try await batch in connection.stream(SQL.readReweighedVotes(rules: rules, heat: stored)).batches {
      for (number, part) in batch { changes[number, default: []].append(part) }
    }
    self.changes = changes
  }

  public func applied(to record: NumberRecord) -> NumberRecord {
    var record = record
    for change in changes[record.number] ?? [] {
      guard let place = record.standing.parts.firstIndex(where: { $0.category == change.category }) else { continue }
      record.standing.parts[place].heat = max(0, record.standing.parts[place].heat + change.heat)
      record.standing.parts[place].evidence = max(0, record.standing.parts[place].evidence + change.evidence)
      record.standing.parts[place].reporters = max(0, record.standing.parts[place].reporters + change.reporters)
    }
    return record
  }
}

extension SQL {
  /// The change of the sums of numbers and categories by other weights of new reporters. A vote's app is the app of a report.
  /// - Parameter heat: The least stored heat of a number.
  static func readReweighedVotes(
    rules: [AttestationRule], heat: Double
  ) -> Statement<(number: Int64, part: NumberAggregate.Part)> {
    Statement(
      """
      WITH rule AS (
        SELECT * FROM unnest($1::integer[], $2::real[], $3::real[], $4::real[])
          AS t (app_id, hardware, software, unattested)
      ), vote AS (
        SELECT v.number, v.category_id, v.reported_at, v.weight, w.weight AS own, coalesce(d.level, 0) AS level,
               min(r.app_id) AS app_id
        FROM numbers n
        JOIN number_reporters v ON v.number = n.number
        JOIN reports r ON r.number = v.number AND r.reporter = v.reporter AND r.reported_at = v.reported_at
        LEFT JOIN attested_reporters d ON d.reporter = v.reporter
        LEFT JOIN reporter_weights w ON w.reporter = v.reporter
        LEFT JOIN reporters s ON s.reporter = v.reporter
        WHERE n.heat >= $5 AND r.verification IS DISTINCT FROM 2 AND (w.reporter IS NULL OR s.is_established IS NOT TRUE)
        GROUP BY v.number, v.reporter, v.category_id, v.reported_at, v.weight, w.weight, d.level
      ), ruled AS (
        SELECT v.number, v.category_id, v.reported_at, v.weight, v.own,
               CASE v.level WHEN \(AttestationLevel.hardware.rawValue) THEN a.hardware
                 WHEN \(AttestationLevel.software.rawValue) THEN a.software ELSE a.unattested END AS rule
        FROM vote v LEFT JOIN rule o ON o.app_id = v.app_id JOIN rule a ON a.app_id = coalesce(o.app_id, 0)
      ), due AS (
        SELECT number, category_id, reported_at, weight,
               \(ReportSQL.weight(rule: "rule", own: "own", newcomer: "$9")) AS due
        FROM ruled
      ), change AS (
        SELECT number, category_id, reported_at, due - weight AS weight, 0 AS reports,
               CASE WHEN due > 0 THEN 1 ELSE 0 END - CASE WHEN weight > 0 THEN 1 ELSE 0 END AS reporters
        FROM due WHERE due <> weight
      )
      SELECT number, category_id, \(ReportSQL.storedSums(origin: "$6", heat: "$7", evidence: "$8"))
      FROM change GROUP BY number, category_id
      """,
      rules.map(\.appID), rules.map { Float($0.hardware) }, rules.map { Float($0.software) },
      rules.map { Float($0.unattested) }, heat, Decay.origin, Decay.heat.timeConstant, Decay.evidence.timeConstant,
      Float(ReporterWeight.newcomer)
    ) { row in
      (
        try row.decode(0),
        NumberAggregate.Part(
          category: try row.category(1), heat: try row.decode(2), evidence: try row.decode(3),
          reports: try row.decode(4), reporters: try row.decode(5))
      )
    }
  }
}
