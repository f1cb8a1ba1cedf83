// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// All regions with their prefixes.
struct ReadRegions: PostgresStatement {
  static let sql = """
    SELECT r.code, r.name,
           ARRAY(SELECT p.prefix FROM region_prefixes p WHERE p.region = r.code ORDER BY p.prefix)
    FROM regions r ORDER BY r.code COLLATE "C"
    """

  static func decode(_ row: PostgresRow) throws -> StoredRegion {
    StoredRegion(code: try row.decode(0), name: try row.decode(1), prefixes: try row.decode(2))
  }
}

/// Deletes all prefixes of regions.
struct DeleteRegionPrefixes: PostgresStatement {
  typealias Row = Void
  static let sql = "DELETE FROM region_prefixes"
}

/// Deletes all regions.
struct DeleteRegions: PostgresStatement {
  typealias Row = Void
  static let sql = "DELETE FROM regions"
}

/// Adds regions.
struct InsertRegions: PostgresStatement {
  typealias Row = Void
  let codes: [String]
  let names: [String]

  static let sql = "INSERT INTO regions (code, name) SELECT * FROM unnest($1::text[], $2::text[])"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(codes)
    parameters.append(names)
  }
}

/// Adds prefixes.
struct InsertRegionPrefixes: PostgresStatement {
  typealias Row = Void
  let prefixes: [Int64]
  let regions: [String]

  static let sql = "INSERT INTO region_prefixes (prefix, region) SELECT * FROM unnest($1::bigint[], $2::text[])"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(prefixes)
    parameters.append(regions)
  }
}
