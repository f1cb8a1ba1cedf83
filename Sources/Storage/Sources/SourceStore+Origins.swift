// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
public import PostgreSQL

/// A source whose complaints may be evidence of another server.
public struct ProvenanceSource: Sendable, Equatable {
  /// The list's id in `apps`.
  public let id: Int32
  /// The id of the server that publishes the list; nil for lists that are no other server's.
  public let serverID: String?
  /// Whether it is a subscription that has not ended.
  public let isCurrent: Bool
  /// Whether its entries belong to a list, whose reports are replaced each week.
  public let isList: Bool
}

/// The servers that the evidence of an entry came from.
public struct EntryOrigins: Sendable, Equatable {
  /// E.164 digits.
  public let number: Int64
  /// The ids of the servers with evidence of their own.
  public let servers: [String]
  /// How many servers have passed the evidence on.
  public let hops: Int
}

extension SourceStore {
  /// The ids of all sources that were ever downloaded.
  public func ids() async throws -> Set<Int32> { Set(try await pool.run(SQL.readCeilings()).map(\.id)) }

  /// All sources that were ever downloaded, as of a connection's snapshot.
  public static func provenanceSources(on connection: PostgresConnection) async throws -> [ProvenanceSource] {
    try await connection.run(
      "SELECT app_id, server_id, removed_at IS NULL, format FROM source_feeds ORDER BY app_id"
    ) { row in
      let format = SourceFormat(rawValue: try row.decode(3))
      return ProvenanceSource(
        id: try row.decode(0), serverID: try row.decode(1), isCurrent: try row.decode(2),
        isList: format?.hasComplaints == false)
    }
  }

  /// The servers that entries of a source came from, by number. Only a source that is another Ringfence server
  /// has some.
  /// - Parameters:
  ///   - numbers: E.164 digits.
  ///   - appID: the source.
  ///   - connection: within a transaction that reads one snapshot.
  public static func origins(
    of numbers: [Int64], in appID: Int32, on connection: PostgresConnection
  ) async throws -> [Int64: EntryOrigins] {
    let rows = try await connection.run(
      """
      SELECT number, origins, hops FROM source_entries
      WHERE app_id = $1 AND number = ANY($2::bigint[]) AND cardinality(origins) > 0
      """,
      appID, numbers
    ) { row in
      EntryOrigins(
        number: try row.decode(0), servers: try row.decode(1), hops: Int(try row.decode(2, as: Int16.self)))
    }
    return Dictionary(rows.map { ($0.number, $0) }) { first, _ in first }
  }
}

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
      let isNew = try await pool.change(at: time) { connection in
        _ = try await connection.run(SQL.notePrecision(id: feed.id, precision: all, time: time))
        guard recent.isTooLow, !feed.isSuspended else { return .none(false) }
        let weight = try await ThresholdStore.current(on: connection).set.rule(forSource: feed.id).weight
        let suspension = SQL.suspendSource(id: feed.id, time: time, resumedAt: feed.quality.resumedAt, weight: weight)
        guard try await !connection.run(suspension).isEmpty else { return .none(false) }
        let event = Actor.ringfence.did(
          .sourceSuspend, to: feed.name, after: ["confirmed": "\(recent.confirmed)", "wrong": "\(recent.wrong)"])
        let told = Event(
          .sourceSuspended, id: event.id, at: time,
          ["source": .text(feed.name), "confirmed": .count(Int(recent.confirmed)), "wrong": .count(Int(recent.wrong))])
        _ = try await connection.run(SQL.recordEvent(told, at: time))
        return .made(event, true)
      }
      if isNew { suspended.append(feed) }
    }
    return suspended
  }

  /// Whether there are sources, and none was counted after a time.
  public func isJudgmentDue(since time: Date) async throws -> Bool {
    try await pool.run(
      """
      SELECT count(*) > 0
        AND coalesce(max(judged_at) FILTER (WHERE NOT \(GatingTime.judgment.isWrong(at: "$1"))) <= $1, true)
      FROM source_feeds WHERE removed_at IS NULL
      """,
      time
    ) { try $0.decode(0, as: Bool.self) }.first ?? false
  }

  /// Ends the suspension of a source. Only decisions after this time suspend it again.
  /// - Returns: false where it is not suspended.
  public func resume(_ name: String, by actor: Actor, at time: Date) async throws -> Bool {
    try await pool.change(at: time) { connection in
      guard try await !connection.run(SQL.resumeSource(name: name, time: time)).isEmpty else { return .none(false) }
      return .made(actor.did(.sourceResume, to: name), true)
    }
  }
}
