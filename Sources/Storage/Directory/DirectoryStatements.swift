// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

/// Finds a source by its name or adds it, and locks its row: imports of one source run one after the other.
struct HoldDirectorySource: PostgresStatement {
  let name: String
  /// Nil keeps the source's priority, and gives 100 to a new source.
  let priority: Int32?

  static let sql = """
    INSERT INTO directory_sources (name, priority) VALUES ($1, coalesce($2::integer, 100))
    ON CONFLICT (name) DO UPDATE SET priority = coalesce($2::integer, directory_sources.priority)
    RETURNING source_id, name, priority, generation, entries
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(priority)
  }

  static func decode(_ row: PostgresRow) throws -> DirectorySource { try DirectorySource(row) }
}

/// The number of a new generation.
struct NextDirectoryGeneration: PostgresStatement {
  static let sql = "SELECT nextval('directory_generations')::integer"

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Makes a generation the current one of its source.
struct SwitchDirectoryGeneration: PostgresStatement {
  typealias Row = Void
  let source: Int32
  let generation: Int32
  let entries: Int64
  let importedAt: Date

  static let sql = """
    UPDATE directory_sources SET generation = $2, entries = $3, imported_at = $4 WHERE source_id = $1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(source)
    parameters.append(generation)
    parameters.append(entries)
    parameters.append(importedAt)
  }
}

/// Sources with entries, those with precedence first.
struct ReadDirectorySources: PostgresStatement {
  static let sql = """
    SELECT source_id, name, priority, generation, entries FROM directory_sources
    WHERE generation IS NOT NULL ORDER BY priority, source_id
    """

  static func decode(_ row: PostgresRow) throws -> DirectorySource { try DirectorySource(row) }
}

/// Entries of some generations in ascending order of number.
struct ReadDirectoryEntries: PostgresStatement {
  struct Entry: Sendable {
    var generation: Int32
    var stored: StoredDirectoryEntry
  }

  let generations: [Int32]

  static let sql = """
    SELECT number, generation, mentions, name, category FROM directory_entries
    WHERE generation = ANY($1::integer[]) ORDER BY number
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(generations)
  }

  static func decode(_ row: PostgresRow) throws -> Entry {
    Entry(
      generation: try row.decode(1),
      stored: StoredDirectoryEntry(
        number: try row.decode(0), mentions: try row.decode(2), name: try row.decode(3), category: try row.decode(4)))
  }
}

/// Names of one number in the sources, those with precedence first.
struct ReadDirectoryNames: PostgresStatement {
  let number: Int64

  static let sql = """
    SELECT s.name, e.name, e.category
    FROM directory_entries e JOIN directory_sources s ON s.generation = e.generation
    WHERE e.number = $1 ORDER BY s.priority, e.mentions DESC, s.source_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
  }

  static func decode(_ row: PostgresRow) throws -> DirectoryName {
    DirectoryName(source: try row.decode(0), name: try row.decode(1), category: try row.decode(2))
  }
}

/// Stored heat of identified calls by number, ascending.
struct ReadIdentificationHeats: PostgresStatement {
  static let sql = "SELECT number, heat FROM number_identifications WHERE heat > 0 ORDER BY number"

  static func decode(_ row: PostgresRow) throws -> (number: Int64, heat: Double) {
    (try row.decode(0), try row.decode(1))
  }
}

/// Number of entries of a generation that a source with precedence contains too.
struct CountOverruledEntries: PostgresStatement {
  let generation: Int32
  let others: [Int32]

  static let sql = """
    SELECT count(*) FROM directory_entries e
    WHERE e.generation = $1 AND EXISTS (
      SELECT 1 FROM directory_entries o WHERE o.number = e.number AND o.generation = ANY($2::integer[]))
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(generation)
    parameters.append(others)
  }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

extension DirectorySource {
  /// From the columns source_id, name, priority, generation, entries.
  init(_ row: PostgresRow) throws {
    self.init(
      id: try row.decode(0), name: try row.decode(1), priority: try row.decode(2), generation: try row.decode(3),
      entries: try row.decode(4))
  }
}
