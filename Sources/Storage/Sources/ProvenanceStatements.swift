// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

extension SQL {
  /// All sources, also removed ones, with the servers of subscriptions.
  static func readProvenanceSources() -> Statement<ProvenanceSource> {
    Statement(
      "SELECT app_id, server_id, removed_at IS NULL, format FROM source_feeds ORDER BY app_id"
    ) { row in
      let format = SourceFormat(rawValue: try row.decode(3))
      return ProvenanceSource(
        id: try row.decode(0), serverID: try row.decode(1), isCurrent: try row.decode(2),
        isList: format?.hasComplaints == false)
    }
  }

  /// The servers that some entries of a source came from, and over how many; no row for entries of sources that are no other
  /// server's.
  static func readEntryOrigins(appID: Int32, numbers: [Int64]) -> Statement<EntryOrigins> {
    Statement(
      """
      SELECT number, origins, hops FROM source_entries
      WHERE app_id = $1 AND number = ANY($2::bigint[]) AND cardinality(origins) > 0
      """,
      appID, numbers
    ) { row in
      EntryOrigins(
        number: try row.decode(0), servers: try row.decode(1), hops: Int(try row.decode(2, as: Int16.self)))
    }
  }
}
