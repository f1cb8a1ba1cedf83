// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Adds a source, also one that was removed; no row where there is one of the list already. The precision and suspension
/// of a removed one stay. One whose entries are still to be withdrawn is not replaced.
struct InsertSource: PostgresStatement {
  let id: Int32
  let settings: Source.Settings
  let options: String
  let time: Date

  static let sql = """
    INSERT INTO source_feeds AS f
      (app_id, name, url, format, every_seconds, options, ceiling, license, added_at, next_at, most_change_percent,
       public_address)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11)
    ON CONFLICT (app_id) DO UPDATE SET
      name = excluded.name, url = excluded.url, format = excluded.format, every_seconds = excluded.every_seconds,
      options = excluded.options, ceiling = excluded.ceiling, license = excluded.license,
      added_at = excluded.added_at, next_at = excluded.next_at, removed_at = NULL, etag = NULL, last_modified = NULL,
      list_version = NULL, complete_at = NULL, refreshed_at = NULL, entries = 0, failures = 0, failed_at = NULL,
      error = NULL, server_id = NULL, seen_serial = NULL, seen_sha256 = NULL, root_serial = NULL, root = NULL,
      list_sha256 = NULL, changing_sha256 = NULL, expires_at = NULL,
      most_change_percent = excluded.most_change_percent,
      public_address = excluded.public_address
    WHERE f.removed_at IS NOT NULL AND f.entries = 0
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
    parameters.append(Int32(clamping: settings.mostChange))
    parameters.append(settings.isPublic)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// The sources by name.
struct ReadSources: PostgresStatement {
  /// The name of one source; nil for all.
  let name: String?

  static let sql = """
    SELECT \(Source.columns) FROM source_feeds
    WHERE removed_at IS NULL AND ($1::text IS NULL OR name = $1::text) ORDER BY name
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(name) }

  static func decode(_ row: PostgresRow) throws -> Source? { try Source(row) }
}

/// The sources that are due, those first that have waited longest.
struct ReadDueSources: PostgresStatement {
  let time: Date
  let limit: Int
  let areSubscriptions: Bool?

  static let sql = """
    SELECT \(Source.columns) FROM source_feeds
    WHERE removed_at IS NULL AND next_at <= $1 AND ($3::boolean IS NULL OR (format = 'ringfence') = $3::boolean)
    ORDER BY next_at, app_id LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(time)
    parameters.append(Int64(limit))
    parameters.append(areSubscriptions)
  }

  static func decode(_ row: PostgresRow) throws -> Source? { try Source(row) }
}

/// Makes a source due; no row where there is none of the name.
struct HastenSource: PostgresStatement {
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

/// Changes the ceiling of a source, by which rows of evidence files are chosen; no row where there is none of the name.
struct ChangeCeiling: PostgresStatement {
  let name: String
  let ceiling: SourceCeiling

  static let sql = """
    UPDATE source_feeds SET ceiling = $2, list_sha256 = NULL, generation = generation + 1
    WHERE name = $1 AND removed_at IS NULL RETURNING app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(ceiling.rawValue)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// The ceilings of all sources, also of removed ones.
struct ReadCeilings: PostgresStatement {
  static let sql = "SELECT app_id, ceiling, suspended_at IS NOT NULL, suspended_weight FROM source_feeds"

  /// A ceiling of a newer version, which this version does not know, is the lowest.
  static func decode(
    _ row: PostgresRow
  ) throws -> (id: Int32, ceiling: SourceCeiling, isSuspended: Bool, weight: Float?) {
    (
      try row.decode(0), SourceCeiling(rawValue: try row.decode(1)) ?? .nothing, try row.decode(2), try row.decode(3)
    )
  }
}

/// Stores the state after a successful download; no row where a newer publication was accepted meanwhile, or the source was
/// removed, also where it was added again.
struct RecordSourceSuccess: PostgresStatement {
  let id: Int32
  let addedAt: Date
  let state: Source.State
  let next: Date

  static let sql = """
    UPDATE source_feeds SET etag = $2, last_modified = $3, list_version = $4, complete_at = $5, refreshed_at = $6,
      entries = $7, next_at = $8, failures = 0, failed_at = NULL, error = NULL,
      list_sha256 = CASE WHEN generation = $12 THEN $9::text END, expires_at = $10,
      changing_sha256 = NULL
    WHERE app_id = $1 AND removed_at IS NULL AND added_at = $13 AND coalesce(seen_serial, 0::bigint) = $11
    RETURNING app_id
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
    parameters.append(state.listSHA256)
    parameters.append(state.expiresAt)
    parameters.append(state.seen?.serial ?? 0)
    parameters.append(state.generation)
    parameters.append(addedAt)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Stores the reason of a failed attempt and the time of the next one, unless the source was removed meanwhile.
struct RecordSourceFailure: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let addedAt: Date
  let failure: SourceFailure
  let time: Date
  /// Nil where it stays.
  let next: Date?

  static let sql = """
    UPDATE source_feeds SET failures = failures + 1, failed_at = $3, error = $2::text::jsonb,
      next_at = coalesce($4::timestamptz, next_at)
    WHERE app_id = $1 AND removed_at IS NULL AND added_at = $5
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(failure.json)
    parameters.append(time)
    parameters.append(next)
    parameters.append(addedAt)
  }
}

/// Marks a source as removed; no row where it is already.
struct RemoveSource: PostgresStatement {
  let id: Int32
  let time: Date
  /// Whether its entries are still to be withdrawn.
  let hasEntries: Bool

  static let sql = """
    UPDATE source_feeds SET removed_at = $2, entries = CASE WHEN $3::boolean THEN greatest(entries, 1) ELSE 0 END
    WHERE app_id = $1 AND removed_at IS NULL RETURNING app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(time)
    parameters.append(hasEntries)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// The ids of removed sources whose entries are still to be withdrawn.
struct ReadRemovedSources: PostgresStatement {
  static let sql = "SELECT app_id FROM source_feeds WHERE removed_at IS NOT NULL AND entries > 0 ORDER BY app_id"

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Stores that a removed source has no entries any more.
struct FinishRemoval: PostgresStatement {
  typealias Row = Void
  let id: Int32

  static let sql = "UPDATE source_feeds SET entries = 0 WHERE app_id = $1 AND removed_at IS NOT NULL"

  func bind(into parameters: inout PostgresParameters) { parameters.append(id) }
}

/// Counts, by source, the numbers with complaints of the source and a decision in force.
struct CountDecidedNumbers: PostgresStatement {
  /// Counts of a source.
  struct Counts: Sendable {
    let appID: Int32
    let all: SourcePrecision
    /// Those with a decision after ``CountDecidedNumbers/times``.
    let recent: SourcePrecision
  }

  let sources: [Int32]
  /// For each source, the time after which a decision is recent.
  let times: [Date]

  /// Decisions are few: they are read first, and then the counts of the lists about each number. The row of a number
  /// stays when the list no longer contains it.
  static let sql = """
    SELECT s.app_id,
           count(*) FILTER (WHERE d.decision IN ('block', 'identify')), count(*) FILTER (WHERE d.decision = 'allow'),
           count(*) FILTER (WHERE d.decision IN ('block', 'identify')
                              AND d.decided_at > ($2::timestamptz[])[array_position($1::integer[], s.app_id)]),
           count(*) FILTER (WHERE d.decision = 'allow'
                              AND d.decided_at > ($2::timestamptz[])[array_position($1::integer[], s.app_id)])
    FROM number_decisions d JOIN number_sources s ON s.number = d.number
    WHERE s.app_id = ANY($1::integer[])
    GROUP BY s.app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(sources)
    parameters.append(times)
  }

  static func decode(_ row: PostgresRow) throws -> Counts {
    func precision(_ column: Int) throws -> SourcePrecision {
      SourcePrecision(
        confirmed: Int(try row.decode(column, as: Int64.self)), wrong: Int(try row.decode(column + 1, as: Int64.self)))
    }
    return Counts(appID: try row.decode(0), all: try precision(1), recent: try precision(3))
  }
}

/// Whether there are sources, and the precision of none was counted after a time.
struct ReadJudgmentDue: PostgresStatement {
  let time: Date

  static let sql = """
    SELECT count(*) > 0 AND coalesce(max(judged_at) <= $1, true) FROM source_feeds WHERE removed_at IS NULL
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(time) }

  static func decode(_ row: PostgresRow) throws -> Bool { try row.decode(0) }
}

/// Stores the precision of a source.
struct NotePrecision: PostgresStatement {
  typealias Row = Void
  let id: Int32
  let precision: SourcePrecision
  let time: Date

  static let sql = "UPDATE source_feeds SET confirmed = $2, wrong = $3, judged_at = $4 WHERE app_id = $1"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(Int64(precision.confirmed))
    parameters.append(Int64(precision.wrong))
    parameters.append(time)
  }
}

/// Suspends a source; no row where it is suspended already, was removed, or was resumed since it was read.
struct SuspendSource: PostgresStatement {
  let id: Int32
  let time: Date
  /// The time of the last resumption that was read.
  let resumedAt: Date?
  /// The weight of an entry.
  let weight: Double

  static let sql = """
    UPDATE source_feeds SET suspended_at = $2, suspended_weight = $4
    WHERE app_id = $1 AND removed_at IS NULL AND suspended_at IS NULL AND resumed_at IS NOT DISTINCT FROM $3
    RETURNING app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(id)
    parameters.append(time)
    parameters.append(resumedAt)
    parameters.append(Float(weight))
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

/// Ends the suspension of a source; no row where there is none.
struct ResumeSource: PostgresStatement {
  let name: String
  let time: Date

  static let sql = """
    UPDATE source_feeds SET suspended_at = NULL, suspended_weight = NULL, resumed_at = $2
    WHERE name = $1 AND removed_at IS NULL AND suspended_at IS NOT NULL RETURNING app_id
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(time)
  }

  static func decode(_ row: PostgresRow) throws -> Int32 { try row.decode(0) }
}

extension Source {
  fileprivate static let columns = """
    app_id, name, url, format, every_seconds, options, ceiling, license, added_at, next_at, etag, last_modified,
    list_version, complete_at, refreshed_at, entries, failures, failed_at, error::text, server_id, seen_serial,
    coalesce(seen_sha256, ''), coalesce(root_serial, 0), root, list_sha256, generation, expires_at,
    most_change_percent, public_address, confirmed, wrong, judged_at, suspended_at, resumed_at,
    changing_sha256
    """

  /// Nil for a source of a newer version, whose format or ceiling this version does not know.
  fileprivate init?(_ row: PostgresRow) throws {
    guard let format = SourceFormat(rawValue: try row.decode(3)),
      let ceiling = SourceCeiling(rawValue: try row.decode(6)),
      let options = try? JSONDecoder().decode(SourceOptions.self, from: Data(try row.decode(5, as: String.self).utf8))
    else { return nil }
    var state = State()
    (state.etag, state.lastModified) = (try row.decode(10), try row.decode(11))
    (state.listVersion, state.completeAt) = (try row.decode(12), try row.decode(13))
    state.refreshedAt = try row.decode(14)
    state.entries = Int(try row.decode(15, as: Int64.self))
    state.serverID = try row.decode(19)
    if let serial: Int64 = try row.decode(20) {
      state.seen = SeenPublication(
        serial: serial, sha256: try row.decode(21), rootSerial: try row.decode(22), root: try row.decode(23))
    }
    (state.listSHA256, state.generation, state.expiresAt) = (try row.decode(24), try row.decode(25), try row.decode(26))
    state.changingSHA256 = try row.decode(34)
    self.init(
      id: try row.decode(0),
      settings: Settings(
        name: try row.decode(1), url: try row.decode(2), format: format,
        every: Int(try row.decode(4, as: Int32.self)), options: options, ceiling: ceiling,
        license: try row.decode(7), mostChange: Int(try row.decode(27, as: Int32.self)),
        isPublic: try row.decode(28)),
      addedAt: try row.decode(8), nextAt: try row.decode(9), state: state,
      failures: Int(try row.decode(16, as: Int32.self)), failedAt: try row.decode(17),
      failure: try row.decode(18, as: String?.self).flatMap { try? SourceFailure(json: $0) },
      quality: Quality(
        precision: SourcePrecision(
          confirmed: Int(try row.decode(29, as: Int64.self)), wrong: Int(try row.decode(30, as: Int64.self))),
        judgedAt: try row.decode(31), suspendedAt: try row.decode(32), resumedAt: try row.decode(33)))
  }
}
