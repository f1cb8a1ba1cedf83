// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL
import Synchronization

/// Thresholds, version by version. A version is never changed; the newest is in force.
public struct ThresholdStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where thresholds are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The thresholds in force.
  public func current() async throws -> ThresholdSet {
    try await pool.transaction(.repeatableRead) { connection in
      try await Self.current(on: connection).set
    }
  }

  /// The newest version with its thresholds, as of a connection's snapshot.
  public static func current(
    on connection: PostgresConnection
  ) async throws -> (version: ThresholdVersion, set: ThresholdSet) {
    guard let newest = try await connection.run(SQL.readThresholdVersions(version: nil, limit: 1)).first else {
      throw StorageError.noThresholds(version: nil)
    }
    return (newest, try await set(newest.version, on: connection))
  }

  /// One version with its thresholds.
  /// - Parameter number: nil for the newest.
  /// - Throws: ``StorageError/noThresholds(version:)`` when there is none of this number.
  public func version(_ number: Int32?) async throws -> (version: ThresholdVersion, set: ThresholdSet) {
    try await pool.transaction(.repeatableRead) { connection in
      let statement = SQL.readThresholdVersions(version: number, limit: 1)
      guard let version = try await connection.run(statement).first else {
        throw StorageError.noThresholds(version: number)
      }
      return (version, try await Self.set(version.version, on: connection))
    }
  }

  /// The saved versions, the newest first.
  /// - Parameter limit: the most versions, at least 1.
  public func history(limit: Int) async throws -> [ThresholdVersion] {
    try await pool.run(SQL.readThresholdVersions(version: nil, limit: limit))
  }

  /// The imported lists, in ascending order of their ids.
  public func lists() async throws -> [App] {
    try await pool.run(SQL.readApps(areLists: true))
  }

  /// All apps and imported lists, in ascending order of their ids.
  public func apps() async throws -> [App] {
    try await pool.run(SQL.readApps(areLists: false))
  }

  /// Saves a set as the next version, with an audit event for each rule that changes. Safe to call again.
  /// - Parameters:
  ///   - former: the version that the set was made from.
  ///   - actor: the account that saves it, with a name of 1 to 80 characters.
  ///   - reason: the reason, 1 to 500 characters.
  /// - Throws: ``StorageError/thresholdsChanged(version:)`` when somebody else has saved one since `former`.
  @discardableResult
  public func save(
    _ set: ThresholdSet, after former: Int32, by actor: Actor, because reason: String, at time: Date
  ) async throws -> ThresholdVersion {
    let version = ThresholdVersion(version: former + 1, savedAt: time, savedBy: actor.name, reason: reason)
    return try await pool.transaction { connection in
      guard try await !connection.run(SQL.saveThresholdVersion(version: version)).isEmpty else {
        let there = try await connection.run(SQL.readThresholdVersions(version: version.version, limit: 1)).first
        // This call itself, whose commit was not acknowledged.
        if let there, there.savedBy == actor.name, abs(there.savedAt.timeIntervalSince(time)) < 0.000_001 {
          return there
        }
        throw StorageError.thresholdsChanged(version: there?.version ?? version.version)
      }
      _ = try await connection.run(SQL.saveThresholds(version: version.version, thresholds: set.thresholds))
      _ = try await connection.run(SQL.saveSourceRules(version: version.version, sources: set.sources))
      _ = try await connection.run(SQL.saveIdentifyRule(version: version.version, rule: set.identify))
      _ = try await connection.run(SQL.saveAttestationRules(version: version.version, rules: set.attestation))
      let apps = try await connection.run(SQL.readApps(areLists: false))
      for change in set.changes(
        since: try await Self.set(former, on: connection), name: { apps.name(of: $0) ?? "\($0)" })
      {
        let event = actor.did(
          change.after == nil ? "thresholds.remove" : "thresholds.set", to: change.subject, before: change.before,
          after: change.after, because: reason)
        _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
      }
      return version
    }
  }

  /// - Parameter ceilings: nil for the present ones.
  static func set(
    _ version: Int32, ceilings: [CeilingRow]? = nil, on connection: PostgresConnection
  ) async throws -> ThresholdSet {
    let rows = if let ceilings { ceilings } else { try await connection.run(SQL.readCeilings()) }
    return try ThresholdSet(
      thresholds: try await connection.run(SQL.readThresholds(version: version)),
      sources: try await connection.run(SQL.readSourceRules(version: version)),
      identify: try await connection.run(SQL.readIdentifyRule(version: version)),
      attestation: try await connection.run(SQL.readAttestationRules(version: version)),
      ceilings: rows)
  }
}

/// The thresholds of the version that was in force last. A version never changes, so its rows are read once.
final class ThresholdCache: Sendable {
  private let pool: PostgresPool
  private let newest = Mutex<(version: Int32, ceilings: [CeilingRow], set: ThresholdSet)?>(nil)

  init(pool: PostgresPool) {
    self.pool = pool
  }

  /// - Parameters:
  ///   - version: the version in force.
  ///   - ceilings: the present ones, which have no version.
  /// - Throws: ``StorageError/noThresholds(version:)``; `PostgresError`.
  func set(_ version: Int32?, _ ceilings: [CeilingRow]) async throws -> ThresholdSet {
    guard let version else { throw StorageError.noThresholds(version: nil) }
    let known = newest.withLock { newest -> ThresholdSet? in
      guard let newest, newest.version == version, newest.ceilings.elementsEqual(ceilings, by: { $0 == $1 }) else {
        return nil
      }
      return newest.set
    }
    if let known { return known }
    let set = try await pool.withConnection { try await ThresholdStore.set(version, ceilings: ceilings, on: $0) }
    newest.withLock { $0 = (version, ceilings, set) }
    return set
  }
}

/// The statements that read the thresholds in force, in a pipeline with others.
struct ThresholdQuery {
  private let thresholds: PostgresPipeline.Place<Threshold>
  private let sources: PostgresPipeline.Place<SourceRule>
  private let identify: PostgresPipeline.Place<IdentifyRule>
  private let attestation: PostgresPipeline.Place<AttestationRule>
  private let ceilings: PostgresPipeline.Place<CeilingRow>

  init(in pipeline: inout PostgresPipeline) {
    thresholds = pipeline.add(SQL.readThresholds(version: nil))
    sources = pipeline.add(SQL.readSourceRules(version: nil))
    identify = pipeline.add(SQL.readIdentifyRule(version: nil))
    attestation = pipeline.add(SQL.readAttestationRules(version: nil))
    ceilings = pipeline.add(SQL.readCeilings())
  }

  func set(_ results: PostgresPipeline.Results) throws -> ThresholdSet {
    let thresholds = try results.rows(thresholds)
    guard !thresholds.isEmpty else { throw StorageError.noThresholds(version: nil) }
    return try ThresholdSet(
      thresholds: thresholds, sources: try results.rows(sources), identify: try results.rows(identify),
      attestation: try results.rows(attestation), ceilings: try results.rows(ceilings))
  }
}

/// The ceiling of a source, and its weight when it was suspended.
typealias CeilingRow = (id: Int32, ceiling: SourceCeiling, isSuspended: Bool, weight: Float?)

extension ThresholdSet {
  /// A set from the rows of its tables.
  fileprivate init(
    thresholds: [Threshold], sources: [SourceRule], identify: [IdentifyRule], attestation: [AttestationRule],
    ceilings: [CeilingRow]
  ) throws(ThresholdProblem) {
    try self.init(
      thresholds: thresholds, sources: sources, identify: identify.first ?? IdentifyRule(), attestation: attestation,
      ceilings: Dictionary(ceilings.map { ($0.id, $0.ceiling) }) { first, _ in first },
      suspended: Set(ceilings.filter(\.isSuspended).map(\.id)),
      suspendedWeights: Dictionary(ceilings.compactMap { row in row.weight.map { (row.id, Double($0)) } }) {
        first, _ in first
      })
  }
}

/// A version of the thresholds, with its author, time and reason.
public struct ThresholdVersion: Sendable, Equatable {
  /// Rises by one from 1; the newest is in force.
  public let version: Int32
  /// When it was saved.
  public let savedAt: Date
  /// The account that saved it, 1 to 80 characters.
  public let savedBy: String
  /// The reason, 1 to 500 characters; nil for the thresholds that come with Ringfence.
  public let reason: String?

  /// Creates a value from its properties.
  public init(version: Int32, savedAt: Date, savedBy: String, reason: String?) {
    self.version = version
    self.savedAt = savedAt
    self.savedBy = savedBy
    self.reason = reason
  }
}

extension SQL {
  /// The version of the thresholds in force; null where there is none.
  static func readNewestThresholdVersion() -> Statement<Int32?> {
    Statement("SELECT max(version) FROM threshold_versions") { try $0.decode(0) }
  }

  /// The versions of the thresholds with their authors, the newest first.
  /// - Parameter version: The version; nil for all.
  static func readThresholdVersions(version: Int32?, limit: Int) -> Statement<ThresholdVersion> {
    Statement(
      """
      SELECT version, saved_at, saved_by, reason FROM threshold_versions
      WHERE $1::integer IS NULL OR version = $1::integer
      ORDER BY version DESC LIMIT $2::bigint
      """,
      version, Int64(limit)
    ) { row in
      ThresholdVersion(
        version: try row.decode(0), savedAt: try row.decode(1), savedBy: try row.decode(2), reason: try row.decode(3))
    }
  }

  /// A version's thresholds.
  /// - Parameter version: The version; nil for the newest.
  static func readThresholds(version: Int32?) -> Statement<Threshold> {
    Statement(
      """
      SELECT category_id, country, review_heat,
             enter_heat, enter_evidence, enter_confidence, enter_reporters, enter_networks, enter_days,
             leave_heat, leave_evidence, leave_confidence, leave_reporters, leave_networks, leave_days
      FROM threshold_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY category_id, country
      """,
      version
    ) { row in
      func bar(_ first: Int) throws -> ThresholdLimits {
        ThresholdLimits(
          heat: try row.decode(first), evidence: try row.decode(first + 1), confidence: try row.decode(first + 2),
          reporters: Int(try row.decode(first + 3, as: Int32.self)),
          networks: Int(try row.decode(first + 4, as: Int32.self)),
          days: Int(try row.decode(first + 5, as: Int32.self)))
      }
      let country = try row.decode(1, as: String.self)
      return Threshold(
        category: try row.category(0), country: country.isEmpty ? nil : country, enter: try bar(3), leave: try bar(9),
        reviewHeat: try row.decode(2))
    }
  }

  /// A version's rules for imported lists.
  /// - Parameter version: The version; nil for the newest.
  static func readSourceRules(version: Int32?) -> Statement<SourceRule> {
    Statement(
      """
      SELECT app_id, weight, enter_complaints, enter_days, leave_complaints, leave_days, block_complaints, blocks_shared
      FROM source_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY app_id
      """,
      version
    ) { row in
      func bar(_ first: Int) throws -> SourceRule.Bar {
        SourceRule.Bar(
          complaints: Int(try row.decode(first, as: Int32.self)), days: Int(try row.decode(first + 1, as: Int32.self)))
      }
      return SourceRule(
        appID: try row.decode(0), weight: Double(try row.decode(1, as: Float.self)), enter: try bar(2),
        leave: try bar(4), blockComplaints: Int(try row.decode(6, as: Int32.self)), blocksShared: try row.decode(7))
    }
  }

  /// Adds a version after the one it was made from; no row when another was saved meanwhile.
  static func saveThresholdVersion(version: ThresholdVersion) -> Statement<Int32> {
    Statement(
      """
      INSERT INTO threshold_versions (version, saved_at, saved_by, reason)
      SELECT $1, $2, $3, $4 WHERE $1::integer = (SELECT max(version) + 1 FROM threshold_versions)
      ON CONFLICT (version) DO NOTHING
      RETURNING version
      """,
      version.version, version.savedAt, version.savedBy, version.reason
    ) { try $0.decode(0) }
  }

  /// Adds a version's thresholds.
  static func saveThresholds(version: Int32, thresholds: [Threshold]) -> Statement<Void> {
    struct Limits: PostgresBindable {
      let limits: [ThresholdLimits]

      func bind(into parameters: inout PostgresParameters) {
        parameters.append(limits.map(\.heat))
        parameters.append(limits.map(\.evidence))
        parameters.append(limits.map(\.confidence))
        parameters.append(limits.map { Int32($0.reporters) })
        parameters.append(limits.map { Int32($0.networks) })
        parameters.append(limits.map { Int32($0.days) })
      }
    }
    return Statement(
      """
      INSERT INTO threshold_rules
        (version, category_id, country, review_heat,
         enter_heat, enter_evidence, enter_confidence, enter_reporters, enter_networks, enter_days,
         leave_heat, leave_evidence, leave_confidence, leave_reporters, leave_networks, leave_days)
      SELECT $1::integer, * FROM unnest(
        $2::smallint[], $3::text[], $4::float8[],
        $5::float8[], $6::float8[], $7::float8[], $8::integer[], $9::integer[], $10::integer[],
        $11::float8[], $12::float8[], $13::float8[], $14::integer[], $15::integer[], $16::integer[])
      """,
      version, thresholds.map(\.category.rawValue), thresholds.map { $0.country ?? "" }, thresholds.map(\.reviewHeat),
      Limits(limits: thresholds.map(\.enter)), Limits(limits: thresholds.map(\.leave)))
  }

  /// Adds a version's rules for imported lists.
  static func saveSourceRules(version: Int32, sources: [SourceRule]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO source_rules
        (version, app_id, weight, enter_complaints, enter_days, leave_complaints, leave_days, block_complaints,
         blocks_shared)
      SELECT $1::integer, * FROM unnest(
        $2::integer[], $3::real[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::integer[],
        $9::boolean[])
      """,
      version, sources.map(\.appID), sources.map { Float($0.weight) }, sources.map { Int32($0.enter.complaints) },
      sources.map { Int32($0.enter.days) }, sources.map { Int32($0.leave.complaints) },
      sources.map { Int32($0.leave.days) }, sources.map { Int32($0.blockComplaints) }, sources.map(\.blocksShared))
  }

  /// A version's weights of new reporters, by app.
  /// - Parameter version: The version; nil for the newest.
  static func readAttestationRules(version: Int32?) -> Statement<AttestationRule> {
    Statement(
      """
      SELECT app_id, hardware, software, unattested FROM attestation_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions)) ORDER BY app_id
      """,
      version
    ) { row in
      // Written as decimal numbers, so that 0.8 stays 0.8.
      func weight(_ column: Int) throws -> Double {
        let value: Float = try row.decode(column)
        return Double("\(value)") ?? Double(value)
      }
      return AttestationRule(
        appID: try row.decode(0), hardware: try weight(1), software: try weight(2), unattested: try weight(3))
    }
  }

  /// Adds a version's weights of new reporters.
  static func saveAttestationRules(version: Int32, rules: [AttestationRule]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO attestation_rules (version, app_id, hardware, software, unattested)
      SELECT $1::integer, * FROM unnest($2::integer[], $3::real[], $4::real[], $5::real[])
      """,
      version, rules.map(\.appID), rules.map { Float($0.hardware) }, rules.map { Float($0.software) },
      rules.map { Float($0.unattested) })
  }

  /// A version's limits for labels.
  /// - Parameter version: The version; nil for the newest.
  static func readIdentifyRule(version: Int32?) -> Statement<IdentifyRule> {
    Statement(
      """
      SELECT heat_share, reporters, networks, days, corroborated_reporters, corroborated_networks, corroborated_days,
             marks, labels, label_share
      FROM identify_rules
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM threshold_versions))
      """,
      version
    ) { row in
      func limits(_ first: Int) throws -> IdentifyRule.Limits {
        IdentifyRule.Limits(
          reporters: Int(try row.decode(first, as: Int32.self)),
          networks: Int(try row.decode(first + 1, as: Int32.self)),
          days: Int(try row.decode(first + 2, as: Int32.self)))
      }
      return IdentifyRule(
        heatShare: try row.decode(0), alone: try limits(1), corroborated: try limits(4),
        identifiedMarks: Set(try row.decode(7, as: [String].self).compactMap(IdentifyRule.Mark.init)),
        labels: Int(try row.decode(8, as: Int32.self)), labelShare: try row.decode(9))
    }
  }

  /// Adds a version's limits for labels.
  static func saveIdentifyRule(version: Int32, rule: IdentifyRule) -> Statement<Void> {
    Statement(
      """
      INSERT INTO identify_rules (version, heat_share, reporters, networks, days, corroborated_reporters,
                                  corroborated_networks, corroborated_days, marks, labels, label_share)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      """,
      version, rule.heatShare, Int32(rule.alone.reporters), Int32(rule.alone.networks), Int32(rule.alone.days),
      Int32(rule.corroborated.reporters), Int32(rule.corroborated.networks), Int32(rule.corroborated.days),
      rule.identifiedMarks.map(\.rawValue).sorted(), Int32(rule.labels), rule.labelShare)
  }

  /// Apps and imported lists.
  /// - Parameter areLists: Leaves out apps that are no imported lists.
  static func readApps(areLists: Bool) -> Statement<App> {
    Statement(
      "SELECT app_id, name FROM apps WHERE is_list OR NOT $1::boolean ORDER BY app_id", areLists
    ) { App(id: try $0.decode(0), name: try $0.decode(1)) }
  }
}
