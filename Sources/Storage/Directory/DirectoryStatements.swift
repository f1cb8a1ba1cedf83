// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL

extension SQL {
  /// Finds a source by its name or adds it, and locks its row: imports of one source run one after the other.
  /// - Parameter priority: Nil keeps the source's priority, and gives 100 to a new source.
  static func holdDirectorySource(name: String, priority: Int32?) -> Statement<DirectorySource> {
    Statement(
      """
      INSERT INTO directory_sources (name, priority) VALUES ($1, coalesce($2::integer, 100))
      ON CONFLICT (name) DO UPDATE SET priority = coalesce($2::integer, directory_sources.priority)
      RETURNING source_id, name, priority, generation, entries
      """,
      name, priority
    ) { try DirectorySource($0) }
  }

  /// The number of a new generation.
  static func nextDirectoryGeneration() -> Statement<Int32> {
    Statement(
      "SELECT nextval('directory_generations')::integer"
    ) { try $0.decode(0) }
  }

  /// Makes a generation the current one of its source.
  static func switchDirectoryGeneration(
    source: Int32, generation: Int32, entries: Int64, importedAt: Date
  ) -> Statement<Void> {
    Statement(
      """
      UPDATE directory_sources SET generation = $2, entries = $3, imported_at = $4 WHERE source_id = $1
      """,
      source, generation, entries, importedAt)
  }

  /// Sources with entries, those with precedence first.
  static func readDirectorySources() -> Statement<DirectorySource> {
    Statement(
      """
      SELECT source_id, name, priority, generation, entries FROM directory_sources
      WHERE generation IS NOT NULL ORDER BY priority, source_id
      """
    ) { try DirectorySource($0) }
  }
}

struct GenerationEntry: Sendable {
  var generation: Int32
  var stored: StoredDirectoryEntry
}

extension SQL {
  /// Entries of some generations in ascending order of number.
  static func readDirectoryEntries(generations: [Int32]) -> Statement<GenerationEntry> {
    Statement(
      """
      SELECT number, generation, mentions, name, category FROM directory_entries
      WHERE generation = ANY($1::integer[]) ORDER BY number
      """,
      generations
    ) { row in
      GenerationEntry(
        generation: try row.decode(1),
        stored: StoredDirectoryEntry(
          number: try row.decode(0), mentions: try row.decode(2), name: try row.decode(3), category: try row.decode(4)))
    }
  }

  /// Names of one number in the sources, those with precedence first.
  static func readDirectoryNames(number: Int64) -> Statement<DirectoryName> {
    Statement(
      """
      SELECT s.name, e.name, e.category
      FROM directory_entries e JOIN directory_sources s ON s.generation = e.generation
      WHERE e.number = $1 ORDER BY s.priority, e.mentions DESC, s.source_id
      """,
      number
    ) { DirectoryName(source: try $0.decode(0), name: try $0.decode(1), category: try $0.decode(2)) }
  }

  /// Stored heat of identified calls by number, ascending.
  static func readIdentificationHeats() -> Statement<(number: Int64, heat: Double)> {
    Statement(
      "SELECT number, heat FROM number_identifications WHERE heat > 0 ORDER BY number"
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// Number of entries of a generation that a source with precedence contains too.
  static func countOverruledEntries(generation: Int32, others: [Int32]) -> Statement<Int64> {
    Statement(
      """
      SELECT count(*) FROM directory_entries e
      WHERE e.generation = $1 AND EXISTS (
        SELECT 1 FROM directory_entries o WHERE o.number = e.number AND o.generation = ANY($2::integer[]))
      """,
      generation, others
    ) { try $0.decode(0) }
  }
}

extension DirectorySource {
  /// From the columns source_id, name, priority, generation, entries.
  init(_ row: PostgresRow) throws {
    self.init(
      id: try row.decode(0), name: try row.decode(1), priority: try row.decode(2), generation: try row.decode(3),
      entries: try row.decode(4))
  }
}
