// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL
public import Storage
import Testing

/// Numbers and their aggregates, as they are stored.
public struct NumberStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where numbers are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// A number's aggregates; without parts when it was never reported.
  public func standing(of number: Int64) async throws -> NumberAggregate {
    let rows = try await pool.withConnection {
      try await $0.query(
        """
        SELECT category_id, heat, evidence, reports, reporters FROM number_categories WHERE number = \(number)
        ORDER BY category_id
        """)
    }
    return NumberAggregate(
      parts: try rows.map { row in
        NumberAggregate.Part(
          category: try #require(ReportCategory(rawValue: try row.decode(0))), heat: try row.decode(1),
          evidence: try row.decode(2), reports: try row.decode(3), reporters: try row.decode(4))
      })
  }

  /// A number's record; nil when it was never reported.
  public func record(of number: Int64) async throws -> NumberRecord? {
    try await pool.withConnection { try await NumberRecordStore.record(of: number, on: $0) }
  }
}

extension Stores {
  /// Numbers and their aggregates.
  public var numbers: NumberStore { NumberStore(pool: pool) }
}

extension IdentificationStore {
  /// A number's counts in the test's database, and its decayed calls; nil when it never rang.
  public func counts(
    of number: Int64, at time: Date
  ) async throws -> (heat: Double, named: Int64, unknown: Int64, lastDay: Int32)? {
    let rows = try await TestDatabase.current.pool.withConnection {
      try await $0.query(
        """
        SELECT heat / \(Decay.heat.scale(at: time))::float8, named, unknown, last_day - DATE '1970-01-01'
        FROM number_identifications WHERE number = \(number)
        """)
    }
    return try rows.first.map { (try $0.decode(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
  }
}

extension DirectoryRows {
  /// Rows of a few entries.
  public init(_ entries: [StoredDirectoryEntry]) {
    self.init()
    for entry in entries {
      Array(entry.name.utf8).withUnsafeBytes { name in
        Array((entry.category ?? "").utf8).withUnsafeBytes { category in
          append(entry.number, mentions: entry.mentions, name: name, category: category)
        }
      }
    }
  }
}

extension RemediationFigures {
  /// Two equal halves draw no noise.
  public static let silence: @Sendable (String) -> [UInt8] = { _ in [UInt8](repeating: 7, count: 16) }
}
