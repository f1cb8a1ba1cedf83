// SPDX-License-Identifier: Apache-2.0

public import PhoneNumbers
public import PostgreSQL

/// A region that the operator has defined.
public struct StoredRegion: Sendable, Equatable {
  /// At most 23 of `A-Z a-z 0-9 . _ -`, the first a letter or digit.
  public var code: String
  public var name: String
  /// Prefixes of E.164 digits.
  public var prefixes: [Int64]

  public init(code: String, name: String, prefixes: [Int64]) {
    self.code = code
    self.name = name
    self.prefixes = prefixes
  }
}

/// Regions by prefixes.
public struct RegionStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The operator's regions, by code; prefixes ascending.
  public func regions() async throws -> [StoredRegion] {
    try await pool.withConnection { try await Self.regions(on: $0) }
  }

  public func replace(with regions: [StoredRegion]) async throws {
    let regions = regions.sorted { $0.code < $1.code }
    let prefixes = regions.flatMap { region in region.prefixes.map { (prefix: $0, region: region.code) } }
      .sorted { $0.prefix < $1.prefix }
    try await pool.transaction { connection in
      try await connection.runReportingCount(SQL.deleteRegionPrefixes())
      try await connection.runReportingCount(SQL.deleteRegions())
      try await connection.runReportingCount(SQL.insertRegions(codes: regions.map(\.code), names: regions.map(\.name)))
      try await connection.runReportingCount(
        SQL.insertRegionPrefixes(prefixes: prefixes.map(\.prefix), regions: prefixes.map(\.region)))
    }
  }

  /// The map from numbers to regions: the longest prefix of a region or a country counts.
  public func map() async throws -> RegionMap {
    try await pool.withConnection { try await Self.map(on: $0) }
  }

  /// The same, as of a transaction's snapshot.
  public static func map(on connection: PostgresConnection) async throws -> RegionMap {
    let regions = try await regions(on: connection)
    return try RegionMap.countries(
      overlaidBy: regions.flatMap { region in region.prefixes.map { (prefix: $0, region: region.code) } })
  }

  private static func regions(on connection: PostgresConnection) async throws -> [StoredRegion] {
    try await connection.run(
      """
      SELECT r.code, r.name,
             ARRAY(SELECT p.prefix FROM region_prefixes p WHERE p.region = r.code ORDER BY p.prefix)
      FROM regions r ORDER BY r.code COLLATE "C"
      """
    ) { StoredRegion(code: try $0.decode(0), name: try $0.decode(1), prefixes: try $0.decode(2)) }
  }
}

extension SQL {
  static func deleteRegionPrefixes() -> Statement<Void> {
    Statement("DELETE FROM region_prefixes")
  }

  static func deleteRegions() -> Statement<Void> {
    Statement("DELETE FROM regions")
  }

  static func insertRegions(codes: [String], names: [String]) -> Statement<Void> {
    Statement("INSERT INTO regions (code, name) SELECT * FROM unnest($1::text[], $2::text[])", codes, names)
  }

  static func insertRegionPrefixes(prefixes: [Int64], regions: [String]) -> Statement<Void> {
    Statement(
      "INSERT INTO region_prefixes (prefix, region) SELECT * FROM unnest($1::bigint[], $2::text[])",
      prefixes, regions)
  }
}
