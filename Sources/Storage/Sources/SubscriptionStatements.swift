// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

extension SQL {
  /// The subscriptions to other servers, locked until the transaction ends.
  static func lockSubscriptions() -> Statement<Subscription> {
    Statement(
      subscriptions + " FOR NO KEY UPDATE", decode: decodeSubscription)
  }

  /// The subscriptions to other servers.
  static func readSubscriptions() -> Statement<Subscription> {
    Statement(subscriptions, decode: decodeSubscription)
  }

  private static let subscriptions = """
    SELECT app_id, name, server_id, ceiling, suspended_at IS NOT NULL, refreshed_at IS NOT NULL FROM source_feeds
    WHERE format = 'ringfence' AND removed_at IS NULL ORDER BY app_id
    """

  static func decodeSubscription(_ row: PostgresRow) throws -> Subscription {
    let ceiling = SourceCeiling(rawValue: try row.decode(3)) ?? .nothing
    return Subscription(
      id: try row.decode(0), name: try row.decode(1), serverID: try row.decode(2), isRead: try row.decode(5),
      ceiling: try row.decode(4) ? .nothing : ceiling)
  }

  /// Stores the server of a subscription.
  static func setSourceServer(id: Int32, server: String) -> Statement<Void> {
    Statement(
      "UPDATE source_feeds SET server_id = $2 WHERE app_id = $1",
      id, server)
  }

  /// Makes sources read their files again.
  static func readAgain(ids: [Int32]) -> Statement<Void> {
    Statement(
      """
      UPDATE source_feeds SET list_sha256 = NULL, generation = generation + 1 WHERE app_id = ANY($1::integer[])
      """,
      ids)
  }

  /// Stores that entries of a source change: they are of no file until that ends.
  static func beginChanges(id: Int32, digest: String?) -> Statement<Void> {
    Statement(
      "UPDATE source_feeds SET list_sha256 = NULL, changing_sha256 = $2 WHERE app_id = $1",
      id, digest)
  }

  /// Stores the newest publication and root; no row where a newer one was accepted before. The manifest with the stored entity
  /// tag is an older one then.
  static func acceptPublication(id: Int32, seen: Source.SeenPublication) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET seen_serial = $2, seen_sha256 = $3, root_serial = $4, root = $5, etag = NULL
      WHERE app_id = $1 AND removed_at IS NULL AND coalesce(root_serial, 0) <= $4
        AND (seen_serial IS NULL OR seen_serial < $2 OR (seen_serial = $2 AND seen_sha256 = $3))
      RETURNING app_id
      """,
      id, seen.serial, seen.sha256, seen.rootSerial, seen.root
    ) { try $0.decode(0) }
  }

  /// A row where the newest publication of a source has this serial.
  static func findSeenPublication(id: Int32, serial: Int64) -> Statement<Int32> {
    Statement(
      "SELECT app_id FROM source_feeds WHERE app_id = $1 AND removed_at IS NULL AND seen_serial = $2",
      id, serial
    ) { try $0.decode(0) }
  }

  /// The origins of entries of numbers.
  static func readOrigins(
    appIDs: [Int32], numbers: [Int64]
  ) -> Statement<(number: Int64, appID: Int32, origins: [String])> {
    Statement(
      """
      SELECT number, app_id, origins FROM source_entries WHERE app_id = ANY($1::integer[]) AND number = ANY($2::bigint[])
      """,
      appIDs, numbers
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2)) }
  }
}
