// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

/// The subscriptions to other servers, locked until the transaction ends.
struct LockSubscriptions: PostgresStatement {
  static let sql = """
    \(ReadSubscriptions.sql) FOR NO KEY UPDATE
    """

  static func decode(_ row: PostgresRow) throws -> Subscription { try ReadSubscriptions.decode(row) }
}

/// The subscriptions to other servers.
struct ReadSubscriptions: PostgresStatement {
  static let sql = """
    SELECT app_id, name, server_id, ceiling, suspended_at IS NOT NULL, refreshed_at IS NOT NULL FROM source_feeds
    WHERE format = 'ringfence' AND removed_at IS NULL ORDER BY app_id
    """

  static func decode(_ row: PostgresRow) throws -> Subscription {
    let ceiling = SourceCeiling(rawValue: try row.decode(3)) ?? .nothing
    return Subscription(
      id: try row.decode(0), name: try row.decode(1), serverID: try row.decode(2), isRead: try row.decode(5),
      ceiling: try row.decode(4) ? .nothing : ceiling)
  }
}

/// Stores the server of a subscription.
struct SetSourceServer: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let server: String

  static let sql = "UPDATE source_feeds SET server_id = $2 WHERE app_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(server)
  }
}

/// Makes sources read their files again.
struct ReadAgain: PostgresStatement {
  typealias Row = Void
  let ids: [Int32]

  static let sql = """
    UPDATE source_feeds SET list_sha256 = NULL, generation = generation + 1 WHERE app_id = ANY($1::integer[])
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(ids) }
}

/// Stores that entries of a source change: they are of no file until that ends.
struct BeginChanges: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let digest: String?

  static let sql = "UPDATE source_feeds SET list_sha256 = NULL, changing_sha256 = $2 WHERE app_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(digest)
  }
}

/// Stores the newest publication and root; no row where a newer one was accepted before. The manifest with the stored entity
/// tag is an older one then.
struct AcceptPublication: PostgresStatement {
  let id: Int32
  let seen: Source.SeenPublication

  static let sql = """
    UPDATE source_feeds SET seen_serial = $2, seen_sha256 = $3, root_serial = $4, root = $5, etag = NULL
    WHERE app_id = $1 AND removed_at IS NULL AND coalesce(root_serial, 0) <= $4
      AND (seen_serial IS NULL OR seen_serial < $2 OR (seen_serial = $2 AND seen_sha256 = $3))
    RETURNING app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(seen.serial)
    parameters.append(seen.sha256)
    parameters.append(seen.rootSerial)
    parameters.append(seen.root)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// A row where the newest publication of a source has this serial.
struct FindSeenPublication: PostgresStatement {
  let id: Int32
  let serial: Int64

  static let sql = "SELECT app_id FROM source_feeds WHERE app_id = $1 AND removed_at IS NULL AND seen_serial = $2"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(serial)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// The origins of entries of numbers.
struct ReadOrigins: PostgresStatement {
  let appIDs: [Int32]
  let numbers: [Int64]

  static let sql = """
    SELECT number, app_id, origins FROM source_entries WHERE app_id = ANY($1::integer[]) AND number = ANY($2::bigint[])
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appIDs)
    parameters.append(numbers)
  }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, appID: Int32, origins: [String]) {
    (try row.decode(0), try row.decode(1), try row.decode(2))
  }
}
