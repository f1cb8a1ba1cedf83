// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL
import Synchronization

/// Thresholds, version by version. A version is never changed; the newest is in force.
public struct ThresholdStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

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

  /// Saves a set as the next version, with an audit event for each rule that changes.
  /// - Parameters:
  ///   - former: the version that the set was made from.
  ///   - actor: the account that saves it, with a name of 1 to 80 characters.
  ///   - reason: one line of 1 to 500 characters.
  /// - Throws: `RuleViolation`; ``StorageError/thresholdsChanged(version:)`` when somebody else has saved one since `former`.
  @discardableResult
  public func save(
    _ set: ThresholdSet, after former: Int32, by actor: Actor, because reason: String, at time: Date
  ) async throws -> ThresholdVersion {
    let reason = try RuleViolation.line(reason, "reason", atMost: TextLimit.reason)
    let version = ThresholdVersion(version: former + 1, savedAt: time, savedBy: actor.name, reason: reason)
    return try await pool.change(at: time) { connection in
      guard try await !connection.run(SQL.saveThresholdVersion(version: version)).isEmpty else {
        let there = try await connection.run(SQL.readThresholdVersions(version: version.version, limit: 1)).first
        throw StorageError.thresholdsChanged(version: there?.version ?? version.version)
      }
      _ = try await connection.run(SQL.saveThresholds(version: version.version, thresholds: set.thresholds))
      _ = try await connection.run(SQL.saveSourceRules(version: version.version, sources: set.sources))
      _ = try await connection.run(SQL.saveIdentifyRule(version: version.version, rule: set.identify))
      _ = try await connection.run(SQL.saveAttestationRules(version: version.version, rules: set.attestation))
      let apps = try await connection.run(SQL.readApps(areLists: false))
      let before = try await Self.set(former, on: connection)
      let events = set.changes(since: before, name: { apps.name(of: $0) ?? "\($0)" }).map { change in
        actor.did(
          change.after == nil ? .thresholdsRemove : .thresholdsSet, to: change.subject, before: change.before,
          after: change.after, because: reason)
      }
      return .made(events, version)
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
  public let savedAt: Date
  /// The account that saved it, 1 to 80 characters.
  public let savedBy: String
  /// The reason, 1 to 500 characters; nil for the thresholds that come with Ringfence.
  public let reason: String?
}
