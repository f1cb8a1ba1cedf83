// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Adds a source, also one that was removed; no row where there is one of the list already.
struct InsertFeed: PostgresStatement {
  let id: Int32
  let settings: SourceFeed.Settings
  let options: String
  let time: Date

  static let sql = """
    INSERT INTO source_feeds AS f
      (app_id, name, url, format, every_seconds, options, ceiling, license, added_at, next_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
    ON CONFLICT (app_id) DO UPDATE SET
      name = excluded.name, url = excluded.url, format = excluded.format, every_seconds = excluded.every_seconds,
      options = excluded.options, ceiling = excluded.ceiling, license = excluded.license,
      added_at = excluded.added_at, next_at = excluded.next_at, removed_at = NULL, etag = NULL, last_modified = NULL,
      list_version = NULL, complete_at = NULL, refreshed_at = NULL, entries = 0, failures = 0, failed_at = NULL,
      error = NULL
    WHERE f.removed_at IS NOT NULL
    RETURNING app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(settings.name)
    parameters.append(settings.url)
    parameters.append(settings.format.rawValue)
    parameters.append(Int32(clamping: settings.every))
    parameters.append(options)
    parameters.append(settings.ceiling.rawValue)
    parameters.append(settings.license)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// The sources by name.
struct ReadFeeds: PostgresStatement {
  /// The name of one source; nil for all.
  let name: String?

  static let sql = """
    SELECT \(SourceFeed.columns) FROM source_feeds
    WHERE removed_at IS NULL AND ($1::text IS NULL OR name = $1::text) ORDER BY name
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(name) }

  static func decode(_ row: PostgresRow) throws -> SourceFeed? { try SourceFeed(row) }
}

/// The sources that are due, those first that have waited longest.
struct ReadDueFeeds: PostgresStatement {
  let time: Date
  let limit: Int

  static let sql = """
    SELECT \(SourceFeed.columns) FROM source_feeds WHERE removed_at IS NULL AND next_at <= $1
    ORDER BY next_at, app_id LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(time)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> SourceFeed? { try SourceFeed(row) }
}

/// Makes a source due; no row where there is none of the name.
struct HastenFeed: PostgresStatement {
  let name: String
  let time: Date

  static let sql = """
    UPDATE source_feeds SET next_at = least(next_at, $2::timestamptz) WHERE name = $1 AND removed_at IS NULL
    RETURNING app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Changes the ceiling of a source; no row where there is none of the name.
struct ChangeCeiling: PostgresStatement {
  let name: String
  let ceiling: SourceCeiling

  static let sql = """
    UPDATE source_feeds SET ceiling = $2 WHERE name = $1 AND removed_at IS NULL RETURNING app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(ceiling.rawValue)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// The ceilings of all sources, also of removed ones.
struct ReadCeilings: PostgresStatement {
  static let sql = "SELECT app_id, ceiling FROM source_feeds"

  /// A ceiling of a newer version, which this version does not know, is the lowest.
  static func decode(_ row: PostgresRow) throws -> (id: Int32, ceiling: SourceCeiling) {
    (try row.decode(0), SourceCeiling(rawValue: try row.decode(1)) ?? .nothing)
  }
}

/// Stores the state after a successful download.
struct NoteFeedSuccess: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let state: SourceFeed.State
  let next: Date

  static let sql = """
    UPDATE source_feeds SET etag = $2, last_modified = $3, list_version = $4, complete_at = $5, refreshed_at = $6,
      entries = $7, next_at = $8, failures = 0, failed_at = NULL, error = NULL
    WHERE app_id = $1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(state.etag)
    parameters.append(state.lastModified)
    parameters.append(state.listVersion)
    parameters.append(state.completeAt)
    parameters.append(state.refreshedAt)
    parameters.append(Int64(state.entries))
    parameters.append(next)
  }
}

/// Stores the reason of a failed attempt and the time of the next one.
struct NoteFeedFailure: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let failure: FeedFailure
  let time: Date
  let next: Date

  static let sql = """
    UPDATE source_feeds SET failures = failures + 1, failed_at = $3, error = $2::text::jsonb, next_at = $4
    WHERE app_id = $1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(failure.json)
    parameters.append(time)
    parameters.append(next)
  }
}

/// Marks a source as removed.
struct RemoveFeed: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let time: Date

  static let sql = "UPDATE source_feeds SET removed_at = $2 WHERE app_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(time)
  }
}

/// The number of a source's entries.
struct CountSourceEntries: PostgresStatement {
  let appID: Int32

  static let sql = "SELECT count(*) FROM source_entries WHERE app_id = $1"

  func bind(into parameters: inout PostgresParameters) { parameters.append(appID) }

  static func decode(_ row: PostgresRow) throws -> Int64 { try row.decode(0) }
}

/// Entries of a source after a number, in ascending order of numbers.
struct ReadSourceEntries: PostgresStatement {
  let appID: Int32
  let number: Int64
  let limit: Int

  static let sql = """
    SELECT number, category_id, reported_at FROM source_entries WHERE app_id = $1 AND number > $2
    ORDER BY number LIMIT $3::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appID)
    parameters.append(number)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> SourceEntry {
    SourceEntry(number: try row.decode(0), category: try row.category(1), reportedAt: try row.decode(2))
  }
}

/// Stores entries of a source in place of those of the same numbers.
struct StoreSourceEntries: PostgresStatement {
  typealias Row = Void
  let appID: Int32
  let entries: [SourceEntry]

  static let sql = """
    INSERT INTO source_entries AS e (app_id, number, category_id, reported_at)
    SELECT $1::integer, t.number, t.category_id, t.reported_at
    FROM unnest($2::bigint[], $3::smallint[], $4::timestamptz[]) AS t (number, category_id, reported_at)
    ORDER BY t.number
    ON CONFLICT (app_id, number) DO UPDATE SET category_id = excluded.category_id, reported_at = excluded.reported_at
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appID)
    parameters.append(entries.map(\.number))
    parameters.append(entries.map(\.category.rawValue))
    parameters.append(entries.map(\.reportedAt))
  }
}

/// Deletes entries of a source.
struct DeleteSourceEntries: PostgresStatement {
  typealias Row = Void
  let appID: Int32
  let numbers: [Int64]

  static let sql = "DELETE FROM source_entries WHERE app_id = $1 AND number = ANY($2::bigint[])"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(appID)
    parameters.append(numbers)
  }
}

extension SourceFeed {
  fileprivate static let columns = """
    app_id, name, url, format, every_seconds, options, ceiling, license, added_at, next_at, etag, last_modified,
    list_version, complete_at, refreshed_at, entries, failures, failed_at, error::text
    """

  /// Nil for a source of a newer version, whose format or ceiling this version does not know.
  fileprivate init?(_ row: PostgresRow) throws {
    guard let format = FeedFormat(rawValue: try row.decode(3)),
      let ceiling = SourceCeiling(rawValue: try row.decode(6)),
      let options = try? JSONDecoder().decode(FeedOptions.self, from: Data(try row.decode(5, as: String.self).utf8))
    else { return nil }
    var state = State()
    (state.etag, state.lastModified) = (try row.decode(10), try row.decode(11))
    (state.listVersion, state.completeAt) = (try row.decode(12), try row.decode(13))
    state.refreshedAt = try row.decode(14)
    state.entries = Int(try row.decode(15, as: Int64.self))
    self.init(
      id: try row.decode(0),
      settings: Settings(
        name: try row.decode(1), url: try row.decode(2), format: format,
        every: Int(try row.decode(4, as: Int32.self)), options: options, ceiling: ceiling,
        license: try row.decode(7)),
      addedAt: try row.decode(8), nextAt: try row.decode(9), state: state,
      failures: Int(try row.decode(16, as: Int32.self)), failedAt: try row.decode(17),
      failure: try row.decode(18, as: String?.self).flatMap { try? FeedFailure(json: $0) })
  }
}
