// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PostgreSQL

extension SourceStore {
  /// Counts the precision of all sources by the decisions in force, and suspends those whose precision is too low by
  /// the decisions since their last resumption; see ``SourcePrecision``. Safe to call again, and on several servers.
  /// - Returns: the sources that were suspended by this call.
  public func evaluate(at time: Date) async throws -> [Source] {
    let feeds = try await list()
    guard !feeds.isEmpty else { return [] }
    let statement = SQL.countDecidedNumbers(
      sources: feeds.map(\.id), times: feeds.map { $0.quality.resumedAt ?? Date(timeIntervalSince1970: 0) })
    let counts = Dictionary(uniqueKeysWithValues: try await pool.run(statement).map { ($0.appID, $0) })
    var suspended: [Source] = []
    for feed in feeds {
      let (all, recent) = (counts[feed.id]?.all ?? .init(), counts[feed.id]?.recent ?? .init())
      let isNew = try await pool.transaction { connection in
        _ = try await connection.run(SQL.notePrecision(id: feed.id, precision: all, time: time))
        guard recent.isTooLow, !feed.isSuspended else { return false }
        let weight = try await ThresholdStore.current(on: connection).set.rule(forSource: feed.id).weight
        let suspension = SQL.suspendSource(id: feed.id, time: time, resumedAt: feed.quality.resumedAt, weight: weight)
        guard try await !connection.run(suspension).isEmpty else { return false }
        let event = AuditEvent(
          actor: "ringfence", role: "system", action: "source.suspend", subject: feed.name, before: nil,
          after: ["confirmed": "\(recent.confirmed)", "wrong": "\(recent.wrong)"], reason: nil)
        _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
        return true
      }
      if isNew { suspended.append(feed) }
    }
    return suspended
  }

  /// Whether there are sources, and none was counted after a time.
  public func isJudgmentDue(since time: Date) async throws -> Bool {
    try await pool.run(SQL.readJudgmentDue(time: time)).first ?? false
  }

  /// Ends the suspension of a source. Only decisions after this time suspend it again.
  /// - Returns: false where it is not suspended.
  public func resume(_ name: String, at time: Date, audit: AuditEvent) async throws -> Bool {
    try await pool.transaction { connection in
      guard try await !connection.run(SQL.resumeSource(name: name, time: time)).isEmpty else { return false }
      _ = try await connection.run(SQL.appendAuditEvent(audit, at: time))
      return true
    }
  }
}
