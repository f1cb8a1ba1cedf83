// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

extension SQL {
  /// All regions with their prefixes.
  static func readRegions() -> Statement<StoredRegion> {
    Statement(
      """
      SELECT r.code, r.name,
             ARRAY(SELECT p.prefix FROM region_prefixes p WHERE p.region = r.code ORDER BY p.prefix)
      FROM regions r ORDER BY r.code COLLATE "C"
      """
    ) { StoredRegion(code: try $0.decode(0), name: try $0.decode(1), prefixes: try $0.decode(2)) }
  }

  /// Deletes all prefixes of regions.
  static func deleteRegionPrefixes() -> Statement<Void> {
    Statement(
      "DELETE FROM region_prefixes")
  }

  /// Deletes all regions.
  static func deleteRegions() -> Statement<Void> {
    Statement(
      "DELETE FROM regions")
  }

  /// Adds regions.
  static func insertRegions(codes: [String], names: [String]) -> Statement<Void> {
    Statement(
      "INSERT INTO regions (code, name) SELECT * FROM unnest($1::text[], $2::text[])",
      codes, names)
  }

  /// Adds prefixes.
  static func insertRegionPrefixes(prefixes: [Int64], regions: [String]) -> Statement<Void> {
    Statement(
      "INSERT INTO region_prefixes (prefix, region) SELECT * FROM unnest($1::bigint[], $2::text[])",
      prefixes, regions)
  }
}
