// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

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
    try await pool.run(SQL.readLists())
  }

  /// Saves a set as the next version. Safe to call again.
  /// - Parameters:
  ///   - former: the version that the set was made from.
  ///   - name: the account that saves it, 1 to 80 characters.
  ///   - reason: the reason, 1 to 500 characters.
  ///   - audit: the audit event.
  /// - Throws: ``StorageError/thresholdsChanged(version:)`` when somebody else has saved one since `former`.
  @discardableResult
  public func save(
    _ set: ThresholdSet, after former: Int32, by name: String, because reason: String, at time: Date,
    audit: AuditEvent? = nil
  ) async throws -> ThresholdVersion {
    let version = ThresholdVersion(version: former + 1, savedAt: time, savedBy: name, reason: reason)
    return try await pool.transaction { connection in
      guard try await !connection.run(SQL.saveThresholdVersion(version: version)).isEmpty else {
        let there = try await connection.run(SQL.readThresholdVersions(version: version.version, limit: 1)).first
        // This call itself, whose commit was not acknowledged.
        if let there, there.savedBy == name, abs(there.savedAt.timeIntervalSince(time)) < 0.000_001 { return there }
        throw StorageError.thresholdsChanged(version: there?.version ?? version.version)
      }
      _ = try await connection.run(SQL.saveThresholds(version: version.version, thresholds: set.thresholds))
      _ = try await connection.run(SQL.saveSourceRules(version: version.version, sources: set.sources))
      if let audit { _ = try await connection.run(SQL.appendAuditEvent(audit, at: time)) }
      return version
    }
  }

  static func set(_ version: Int32, on connection: PostgresConnection) async throws -> ThresholdSet {
    let ceilings = try await connection.run(SQL.readCeilings())
    return try ThresholdSet(
      thresholds: try await connection.run(SQL.readThresholds(version: version)),
      sources: try await connection.run(SQL.readSourceRules(version: version)),
      ceilings: ThresholdSet.ceilings(ceilings), suspended: ThresholdSet.suspended(ceilings),
      suspendedWeights: ThresholdSet.suspendedWeights(ceilings))
  }
}

/// The ceiling of a source, and its weight when it was suspended.
typealias CeilingRow = (id: Int32, ceiling: SourceCeiling, isSuspended: Bool, weight: Float?)

extension ThresholdSet {
  /// The ceilings by source.
  static func ceilings(_ rows: [CeilingRow]) -> [Int32: SourceCeiling] {
    Dictionary(rows.map { ($0.id, $0.ceiling) }) { first, _ in first }
  }

  /// The sources that are suspended.
  static func suspended(_ rows: [CeilingRow]) -> Set<Int32> { Set(rows.filter(\.isSuspended).map(\.id)) }

  /// The weights of entries when their sources were suspended.
  static func suspendedWeights(_ rows: [CeilingRow]) -> [Int32: Double] {
    Dictionary(rows.compactMap { row in row.weight.map { (row.id, Double($0)) } }) { first, _ in first }
  }
}
