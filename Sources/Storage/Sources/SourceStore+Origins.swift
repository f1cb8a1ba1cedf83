// SPDX-License-Identifier: Apache-2.0

import Curation
public import PostgreSQL

/// A source whose complaints may be evidence of another server.
public struct ProvenanceSource: Sendable, Equatable {
  /// The list's id in `apps`.
  public let id: Int32
  /// The id of the server that publishes the list; nil for lists that are no other server's.
  public let serverID: String?
  /// Whether it is a subscription that has not ended.
  public let isCurrent: Bool
  /// Whether its entries are those of a list, whose reports are replaced each week.
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
    try await connection.run(SQL.readProvenanceSources())
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
    let rows = try await connection.run(SQL.readEntryOrigins(appID: appID, numbers: numbers))
    return Dictionary(rows.map { ($0.number, $0) }) { first, _ in first }
  }
}
