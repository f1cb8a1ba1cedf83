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
      RETURNING source_id, name, priority, generation, entries, searchable
      """,
      name, priority
    ) { try DirectorySource($0) }
  }

  static func nextDirectoryGeneration() -> Statement<Int32> {
    Statement("SELECT nextval('directory_generations')::integer")
  }

  static func switchDirectoryGeneration(
    source: Int32, generation: Int32, entries: Int64, importedAt: Date
  ) -> Statement<Void> {
    Statement(
      """
      UPDATE directory_sources SET generation = $2, entries = $3, imported_at = $4 WHERE source_id = $1
      """,
      source, generation, entries, importedAt)
  }

  static func setSearchableGeneration(source: Int32, generation: Int32) -> Statement<Void> {
    Statement(
      "UPDATE directory_sources SET searchable = $2 WHERE source_id = $1 AND generation = $2", source, generation)
  }

  /// Sources with entries, those with precedence first.
  static func readDirectorySources() -> Statement<DirectorySource> {
    Statement(
      """
      SELECT source_id, name, priority, generation, entries, searchable FROM directory_sources
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
      generation, others)
  }
}

extension DirectorySource {
  /// From the columns source_id, name, priority, generation, entries, searchable.
  init(_ row: PostgresRow) throws {
    self.init(
      id: try row.decode(0), name: try row.decode(1), priority: try row.decode(2), generation: try row.decode(3),
      entries: try row.decode(4), searchable: try row.decode(5))
  }
}

/// A number's name in one source, as stored.
public struct StoredDirectoryEntry: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Rows of the source that give it this name, 1 or more.
  public var mentions: Int32
  /// 1 to `DirectoryEntry.nameBytes` bytes.
  public var name: String
  /// 1 to `DirectoryEntry.categoryBytes` bytes; nil where the source has none.
  public var category: String?

  public init(number: Int64, mentions: Int32 = 1, name: String, category: String? = nil) {
    self.number = number
    self.mentions = mentions
    self.name = name
    self.category = category
  }
}

/// A source of names.
struct DirectorySource: Sendable, Equatable {
  var id: Int32
  /// 1 to 80 characters.
  var name: String
  /// Of two sources that contain a number the one with the lower priority wins.
  var priority: Int32
  /// The current generation; nil before the first import.
  var generation: Int32?
  var entries: Int64
  /// The generation whose words have an index; nil where none has.
  var searchable: Int32?

  /// Whether the names of the current generation are found by their words.
  var isSearchable: Bool { generation == searchable }
}

/// Result of replacing a source's entries.
public struct DirectoryChange: Sendable, Equatable {
  /// Numbers that the source contains now.
  public var entries: Int
  /// Numbers that it contained before.
  public var replaced: Int
  /// Numbers of the source that a source with precedence contains too.
  public var overruled: Int
}

/// The table of one generation of a directory: filled on its own, attached when complete, dropped when old.
///
/// Each command is sent alone, because Citus does not create or attach a table in a text of several commands.
struct GenerationSQL {
  let generation: Int32

  private var table: String { "directory_entries_g\(generation)" }

  var create: [String] {
    [
      "CREATE TABLE \(table) (LIKE directory_entries INCLUDING CONSTRAINTS)",
      "ALTER TABLE \(table) ALTER generation SET DEFAULT \(generation)",
      "ALTER TABLE \(table) ADD CONSTRAINT \(table)_generation CHECK (generation = \(generation))",
    ]
  }

  /// FREEZE is safe: no session sees the table before its transaction has committed, and no older snapshot reads it.
  var copy: String {
    "COPY \(table) (number, mentions, name, category) FROM STDIN (FORMAT binary, FREEZE)"
  }

  /// The primary key is built from rows in key order.
  var attach: [String] {
    [
      "ALTER TABLE \(table) ADD PRIMARY KEY (number, generation)",
      "ALTER TABLE directory_entries ATTACH PARTITION \(table) FOR VALUES IN (\(generation))",
      "ALTER TABLE \(table) DROP CONSTRAINT \(table)_generation",
      "ANALYZE \(table)",
    ]
  }

  /// Made after the generation is in use, because it takes longer than everything else. An interrupted one leaves nothing.
  var indexWords: String {
    "CREATE INDEX IF NOT EXISTS \(table)_words ON \(table) USING gin (to_tsvector('simple', name))"
  }

  /// Waits at most two seconds for readers: the next import tries again.
  var drop: [String] { ["SET LOCAL lock_timeout = '2s'", "DROP TABLE IF EXISTS \(table)"] }
}

extension SQL {
  /// Generations that are attached, unless an open transaction may still read old ones: one whose snapshot is as old as the
  /// switch. Read in the same snapshot as ``ReadUsedGenerations``: Citus does not join catalogs with reference tables.
  static func findAttachedGenerations(switchedBy: String) -> Statement<Int32> {
    Statement(
      """
      SELECT g.generation FROM (
        SELECT substring(c.relname FROM '^directory_entries_g([0-9]{1,9})$')::integer AS generation
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'directory_entries'::regclass) g
      WHERE g.generation IS NOT NULL
        AND NOT EXISTS (
          SELECT 1 FROM pg_stat_activity a
          WHERE a.pid <> pg_backend_pid() AND a.datname = current_database() AND a.backend_type = 'client backend'
            AND a.backend_xmin IS NOT NULL AND age(a.backend_xmin) >= age($1::text::xid))
      ORDER BY g.generation
      """,
      switchedBy)
  }

  static func readUsedGenerations() -> Statement<Int32> {
    Statement("SELECT generation FROM directory_sources WHERE generation IS NOT NULL")
  }

  /// The current transaction, named as in pg_stat_activity.
  static func readTransactionID() -> Statement<String> {
    Statement("SELECT pg_current_xact_id()::xid::text")
  }
}
