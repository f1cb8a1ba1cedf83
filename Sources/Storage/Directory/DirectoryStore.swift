// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
public import PostgreSQL

/// A number's name in a source.
public struct DirectoryName: Sendable, Equatable {
  public var source: String
  public var name: String
  public var category: String?
}

/// Names of numbers, by source.
public struct DirectoryStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Replaces all entries of a source in one transaction: readers see either the old entries or the new ones.
  /// - Parameters:
  ///   - priority: nil keeps the source's, and gives 100 to a new one. The lower one wins.
  ///   - next: the next entries, in ascending order of number for speed, each number once; empty at the end.
  /// - Throws: the errors of `next` and of the database; the former entries are then unchanged.
  public func replace(
    source name: String, priority: Int32? = nil, at time: Date,
    with next: @escaping @Sendable () async throws -> DirectoryRows
  ) async throws -> DirectoryChange {
    try await pool.withConnection { connection in
      let (change, transaction) = try await connection.transaction { connection in
        _ = try await connection.run(SQL.writeShardsInOrder())
        let source = try await connection.run(SQL.holdDirectorySource(name: name, priority: priority))[0]
        let sql = GenerationSQL(generation: try await connection.run(SQL.nextDirectoryGeneration())[0])
        for command in sql.create { try await connection.execute(script: command) }
        let entries = try await connection.copyIn(sql.copy) {
          let rows = try await next()
          return rows.isEmpty ? nil : try rows.encoded()
        }
        // A wrong column or region leaves no entries of a file; that must not delete every name.
        if entries == 0 && source.entries > 0 {
          throw StorageError.emptyDirectory(source: name, kept: source.entries)
        }
        for command in sql.attach { try await connection.execute(script: command) }
        _ = try await connection.run(
          SQL.switchDirectoryGeneration(
            source: source.id, generation: sql.generation, entries: Int64(entries), importedAt: time))
        let overruled = try await Self.overruled(sql.generation, by: source, on: connection)
        return (
          DirectoryChange(entries: entries, replaced: Int(source.entries), overruled: overruled),
          try await connection.run(SQL.readTransactionID())[0]
        )
      }
      try await Self.dropOldGenerations(replacedBy: transaction, on: connection)
      return change
    }
  }

  /// Makes the index of words that the current entries of some sources do not have yet, after an import or its kill.
  public func indexWords() async throws {
    try await pool.withConnection { connection in
      for source in try await connection.run(SQL.readDirectorySources()) where !source.isSearchable {
        guard let generation = source.generation else { continue }
        do {
          try await connection.execute(script: GenerationSQL(generation: generation).indexWords)
        } catch let error as PostgresError where ["42P01", "42P07", "23505"].contains(error.sqlState) {
          // An import has replaced the entries, or the statement of a killed process has just made the index.
          continue
        }
        _ = try await connection.run(SQL.setSearchableGeneration(source: source.id, generation: generation))
      }
    }
  }

  /// Whether the names of all sources are found by their words.
  func areWordsIndexed() async throws -> Bool {
    try await pool.run(SQL.readDirectorySources()).allSatisfy(\.isSearchable)
  }

  private static func overruled(
    _ generation: Int32, by source: DirectorySource, on connection: PostgresConnection
  ) async throws -> Int {
    let others = try await connection.run(SQL.readDirectorySources()).filter {
      $0.id != source.id && $0.priority < source.priority
    }
    guard !others.isEmpty else { return 0 }
    let counted = SQL.countOverruledEntries(generation: generation, others: others.compactMap(\.generation))
    return Int(try await connection.run(counted)[0])
  }

  /// Drops generations that no source uses any more; one that is being read is left for the next import.
  private static func dropOldGenerations(
    replacedBy transaction: String, on connection: PostgresConnection
  ) async throws {
    let (attached, used) = try await connection.transaction(.repeatableRead, readOnly: true) { connection in
      (
        try await connection.run(SQL.findAttachedGenerations(switchedBy: transaction)),
        Set(try await connection.run(SQL.readUsedGenerations()))
      )
    }
    for generation in attached where !used.contains(generation) {
      do {
        try await connection.transaction { connection in
          _ = try await connection.run(SQL.writeShardsInOrder())
          for command in GenerationSQL(generation: generation).drop {
            try await connection.execute(script: command)
          }
        }
      } catch let error as PostgresError where error.sqlState == "55P03" {
        continue
      }
    }
  }
}
