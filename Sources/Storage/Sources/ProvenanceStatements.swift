// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

/// All sources, also removed ones, with the servers of subscriptions.
struct ReadProvenanceSources: PostgresStatement {
  static let sql = "SELECT app_id, server_id, removed_at IS NULL, format FROM source_feeds ORDER BY app_id"

  static func decode(_ row: PostgresRow) throws -> ProvenanceSource {
    let format = SourceFormat(rawValue: try row.decode(3))
    return ProvenanceSource(
      id: try row.decode(0), serverID: try row.decode(1), isCurrent: try row.decode(2),
      isList: format?.hasComplaints == false)
  }
}

/// The servers that some entries of a source came from, and over how many; no row for entries of sources that are no other
/// server's.
struct ReadEntryOrigins: PostgresStatement {
  let appID: Int32
  let numbers: [Int64]

  static let sql = """
    SELECT number, origins, hops FROM source_entries
    WHERE app_id = $1 AND number = ANY($2::bigint[]) AND cardinality(origins) > 0
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appID)
    parameters.append(numbers)
  }

  static func decode(_ row: PostgresRow) throws -> EntryOrigins {
    EntryOrigins(
      number: try row.decode(0), servers: try row.decode(1), hops: Int(try row.decode(2, as: Int16.self)))
  }
}
