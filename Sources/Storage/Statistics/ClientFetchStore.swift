// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// The statement of a client with a request for the manifest.
public struct ClientFetch: Sendable, Hashable {
  /// Empty, with an empty version, for the clients beyond the most that are told apart.
  public let product: String
  public let version: String
  /// The serial of the publication that the client held; 0 for none.
  public let serial: Int64

  public init(product: String, version: String, serial: Int64) {
    (self.product, self.version, self.serial) = (product, version, serial)
  }
}

/// The requests of one version of a product, by the age of the publication that it held.
public struct ClientVersion: Sendable, Equatable {
  /// The upper bounds of the ages, in days; the last age has none.
  public static let ages = [1.0, 7, 30]

  public let product: String
  public let version: String
  /// Requests that held a publication up to each of ``ages``, and an older one.
  public let byAge: [Int64]
  /// Requests that held none, such as the first of a new installation.
  public let first: Int64
  /// Requests that held a publication that this server does not know.
  public let unknown: Int64
  /// The newest known publication that was held; nil for none.
  public let newest: Int64?
  public let lastHour: Date

  public var fetches: Int64 { byAge.reduce(first + unknown, +) }

  /// The part of the requests with a known publication that is older than seven days; nil for no such request.
  public var oldShare: Double? {
    let known = byAge.reduce(0, +)
    return known > 0 ? Double(byAge[2] + byAge[3]) / Double(known) : nil
  }
}

/// Requests for the manifest by hour: how far clients are behind. No row names a client.
public struct ClientFetchStore: Sendable {
  private let pool: PostgresPool

  init(pool: PostgresPool) { self.pool = pool }

  /// Adds requests of an hour, and deletes those that are too old.
  /// - Parameter time: any time of the hour.
  public func add(_ counts: [ClientFetch: Int], at time: Date) async throws {
    guard !counts.isEmpty else { return }
    let hour = Date(timeIntervalSince1970: (time.timeIntervalSince1970 / 3_600).rounded(.down) * 3_600)
    try await pool.transaction { connection in
      _ = try await connection.run(SQL.addFetches(counts, hour: hour))
      _ = try await connection.run(SQL.purgeFetches(before: hour - RetainedData.fetchesKept))
    }
  }

  /// The versions of the products that asked since a time: those with the most requests first, at most 200.
  public func versions(since: Date) async throws -> [ClientVersion] {
    try await pool.run(SQL.readClientVersions(since: since))
  }
}

extension SQL {
  static func addFetches(_ counts: [ClientFetch: Int], hour: Date) -> Statement<Void> {
    // In one order, so that two servers do not wait for each other.
    let rows = counts.sorted {
      ($0.key.product, $0.key.version, $0.key.serial) < ($1.key.product, $1.key.version, $1.key.serial)
    }
    return Statement(
      """
      INSERT INTO client_fetches AS f (hour, product, version, serial, fetches)
      SELECT $1, product, version, serial, fetches
      FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) AS t (product, version, serial, fetches)
      ON CONFLICT (hour, product, version, serial) DO UPDATE SET fetches = f.fetches + excluded.fetches
      """,
      hour, rows.map(\.key.product), rows.map(\.key.version), rows.map(\.key.serial), rows.map { Int64($0.value) })
  }

  static func purgeFetches(before: Date) -> Statement<Void> {
    Statement("DELETE FROM client_fetches WHERE hour < $1", before)
  }

  /// The age of a publication counts from the time at which it became visible to the hour of the request.
  static func readClientVersions(since: Date) -> Statement<ClientVersion> {
    let age = "extract(epoch FROM f.hour - p.published_at) / 86400"
    let bounds = ClientVersion.ages
    let bands = zip([nil] + bounds.map(Optional.some), bounds.map(Optional.some) + [nil]).map { low, high in
      let conditions = ["p.serial IS NOT NULL", low.map { "\(age) > \($0)" }, high.map { "\(age) <= \($0)" }]
      let condition = conditions.compactMap(\.self).joined(separator: " AND ")
      return "coalesce(sum(f.fetches) FILTER (WHERE \(condition)), 0)::bigint"
    }
    return Statement(
      """
      SELECT f.product, f.version, ARRAY[\(bands.joined(separator: ", "))],
             coalesce(sum(f.fetches) FILTER (WHERE f.serial = 0), 0)::bigint,
             coalesce(sum(f.fetches) FILTER (WHERE f.serial > 0 AND p.serial IS NULL), 0)::bigint,
             max(p.serial), max(f.hour)
      FROM client_fetches f
      LEFT JOIN publications p ON p.serial = f.serial AND p.published_at IS NOT NULL
      WHERE f.hour >= $1
      GROUP BY f.product, f.version ORDER BY sum(f.fetches) DESC, f.product, f.version LIMIT 200
      """,
      since
    ) { row in
      ClientVersion(
        product: try row.decode(0), version: try row.decode(1), byAge: try row.decode(2), first: try row.decode(3),
        unknown: try row.decode(4), newest: try row.decode(5), lastHour: try row.decode(6))
    }
  }
}
