// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Adds a source, also one that was removed; no row where there is one of the list already. The precision and suspension
  /// of a removed one stay. One whose entries are still to be withdrawn is not replaced.
  static func insertSource(id: Int32, settings: Source.Settings, options: String, time: Date) -> Statement<Int32> {
    Statement(
      """
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
        list_sha256 = NULL, changing_sha256 = NULL, progress = NULL, progress_goal = NULL, expires_at = NULL,
        rejected_rows = NULL, most_change_percent = excluded.most_change_percent,
        public_address = excluded.public_address, awaits_publication = true
      WHERE f.removed_at IS NOT NULL AND f.entries = 0
      RETURNING app_id
      """,
      id, settings.name, settings.url, settings.format.rawValue, Int32(clamping: settings.every), options,
      settings.ceiling.rawValue, settings.license, time, Int32(clamping: settings.maxChange), settings.isPublic)
  }

  /// The sources by name.
  /// - Parameter name: The name of one source; nil for all.
  static func readSources(name: String?) -> Statement<Source?> {
    Statement(
      """
      SELECT \(Source.columns) FROM source_feeds
      WHERE removed_at IS NULL AND ($1::text IS NULL OR name = $1::text) ORDER BY name
      """,
      name
    ) { try Source($0) }
  }

  /// Makes a source due; no row where there is none of the name.
  static func hastenSource(name: String, time: Date) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET next_at = least(next_at, $2::timestamptz) WHERE name = $1 AND removed_at IS NULL
      RETURNING app_id
      """,
      name, time)
  }

  /// Changes the ceiling of a source, by which rows of evidence files are chosen; no row where there is none of the name.
  static func changeCeiling(name: String, ceiling: SourceCeiling) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET ceiling = $2, list_sha256 = NULL, generation = generation + 1, awaits_publication = true
      WHERE name = $1 AND removed_at IS NULL RETURNING app_id
      """,
      name, ceiling.rawValue)
  }

  /// The ceilings of all sources, including removed ones.
  static func readCeilings() -> Statement<CeilingRow> {
    Statement(
      "SELECT app_id, ceiling, suspended_at IS NOT NULL, suspended_weight FROM source_feeds"
    ) { row in
      /// A ceiling of a newer version, which this version does not know, is the lowest.
      (
        try row.decode(0), SourceCeiling(rawValue: try row.decode(1)) ?? .nothing, try row.decode(2), try row.decode(3)
      )
    }
  }

  /// Stores the state after a successful download; no row where a newer publication was accepted meanwhile, or the source was
  /// removed, even if it was added again.
  static func recordSourceSuccess(id: Int32, addedAt: Date, state: Source.State, next: Date) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET etag = $2, last_modified = $3, list_version = $4, complete_at = $5, refreshed_at = $6,
        entries = $7, next_at = $8, failures = 0, failed_at = NULL, error = NULL,
        list_sha256 = CASE WHEN generation = $12 THEN $9::text END, expires_at = $10,
        changing_sha256 = NULL, progress = NULL, progress_goal = NULL, rejected_rows = $14::text::jsonb
      WHERE app_id = $1 AND removed_at IS NULL AND added_at = $13 AND coalesce(seen_serial, 0::bigint) = $11
      RETURNING app_id
      """,
      id, state.etag, state.lastModified, state.listVersion, state.completeAt, state.refreshedAt, Int64(state.entries),
      next, state.listSHA256, state.expiresAt, state.seen?.serial ?? 0, state.generation, addedAt, state.rejected.json)
  }

  /// Stores the reason of a failed attempt and the time of the next one, unless the source was removed meanwhile.
  /// - Parameters:
  ///   - rejected: Of the file that was refused; nil where the former ones stay.
  ///   - next: Nil where it stays.
  static func recordSourceFailure(
    id: Int32, addedAt: Date, failure: SourceFailure, rejected: RejectedRows?, time: Date, next: Date?
  ) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET failures = failures + 1, failed_at = $3, error = $2::text::jsonb,
        next_at = coalesce($4::timestamptz, next_at), rejected_rows = coalesce($6::text::jsonb, rejected_rows)
      WHERE app_id = $1 AND removed_at IS NULL AND added_at = $5 RETURNING app_id
      """,
      id, failure.json, time, next, addedAt, rejected?.json)
  }

  /// Marks a source as removed; no row where it is already.
  /// - Parameter hasEntries: Whether its entries are still to be withdrawn.
  static func removeSource(id: Int32, time: Date, hasEntries: Bool) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET removed_at = $2, awaits_publication = true,
        entries = CASE WHEN $3::boolean THEN greatest(entries, 1) ELSE 0 END
      WHERE app_id = $1 AND removed_at IS NULL RETURNING app_id
      """,
      id, time, hasEntries)
  }

  /// Stores that a removed source has no entries any more.
  static func finishRemoval(id: Int32) -> Statement<Void> {
    Statement("UPDATE source_feeds SET entries = 0 WHERE app_id = $1 AND removed_at IS NOT NULL", id)
  }
}

struct DecidedCounts: Sendable {
  let appID: Int32
  let all: SourcePrecision
  /// Those with a decision after ``CountDecidedNumbers/times``.
  let recent: SourcePrecision
}

extension SQL {
  /// DecidedCounts, by source, the numbers with complaints of the source and a decision in force.
  /// - Parameter times: For each source, the time after which a decision is recent.
  static func countDecidedNumbers(sources: [Int32], times: [Date]) -> Statement<DecidedCounts> {
    /// Decisions are few: they are read first, and then the counts of the lists about each number. The row of a number
    /// stays when the list no longer contains it.
    Statement(
      """
      SELECT s.app_id,
             count(*) FILTER (WHERE d.decision IN ('block', 'identify')), count(*) FILTER (WHERE d.decision = 'allow'),
             count(*) FILTER (WHERE d.decision IN ('block', 'identify')
                                AND d.decided_at > ($2::timestamptz[])[array_position($1::integer[], s.app_id)]),
             count(*) FILTER (WHERE d.decision = 'allow'
                                AND d.decided_at > ($2::timestamptz[])[array_position($1::integer[], s.app_id)])
      FROM number_decisions d JOIN number_sources s ON s.number = d.number
      WHERE s.app_id = ANY($1::integer[])
      GROUP BY s.app_id
      """,
      sources, times
    ) { row in
      func precision(_ column: Int) throws -> SourcePrecision {
        SourcePrecision(
          confirmed: Int(try row.decode(column, as: Int64.self)), wrong: Int(try row.decode(column + 1, as: Int64.self))
        )
      }
      return DecidedCounts(appID: try row.decode(0), all: try precision(1), recent: try precision(3))
    }
  }

  static func notePrecision(id: Int32, precision: SourcePrecision, time: Date) -> Statement<Void> {
    Statement(
      "UPDATE source_feeds SET confirmed = $2, wrong = $3, judged_at = $4 WHERE app_id = $1",
      id, Int64(precision.confirmed), Int64(precision.wrong), time)
  }

  /// Suspends a source; no row where it is suspended already, was removed, or was resumed since it was read.
  /// - Parameter resumedAt: The time of the last resumption that was read.
  /// - Parameter weight: The weight of an entry.
  static func suspendSource(id: Int32, time: Date, resumedAt: Date?, weight: Double) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET suspended_at = $2, suspended_weight = $4
      WHERE app_id = $1 AND removed_at IS NULL AND suspended_at IS NULL AND resumed_at IS NOT DISTINCT FROM $3
      RETURNING app_id
      """,
      id, time, resumedAt, Float(weight))
  }

  /// Ends the suspension of a source; no row where there is none.
  static func resumeSource(name: String, time: Date) -> Statement<Int32> {
    Statement(
      """
      UPDATE source_feeds SET suspended_at = NULL, suspended_weight = NULL, resumed_at = $2, awaits_publication = true
      WHERE name = $1 AND removed_at IS NULL AND suspended_at IS NOT NULL RETURNING app_id
      """,
      name, time)
  }
}

extension Source {
  static let columns = """
    app_id, name, url, format, every_seconds, options, ceiling, license, added_at, next_at, etag, last_modified,
    list_version, complete_at, refreshed_at, entries, failures, failed_at, error::text, server_id, seen_serial,
    coalesce(seen_sha256, ''), coalesce(root_serial, 0), root, list_sha256, generation, expires_at,
    most_change_percent, public_address, confirmed, wrong, judged_at, suspended_at, resumed_at,
    changing_sha256, progress, progress_goal, rejected_rows::text
    """

  /// Nil for a source of a newer version, whose format or ceiling this version does not know.
  init?(_ row: PostgresRow) throws {
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
    if let done: Int64 = try row.decode(35), let goal: Int64 = try row.decode(36) {
      state.progress = Progress(done: Int(done), goal: Int(goal))
    }
    state.rejected = try row.decode(37, as: String?.self).flatMap { RejectedRows(json: $0) } ?? RejectedRows()
    self.init(
      id: try row.decode(0),
      settings: Settings(
        name: try row.decode(1), url: try row.decode(2), format: format,
        every: Int(try row.decode(4, as: Int32.self)), options: options, ceiling: ceiling,
        license: try row.decode(7), maxChange: Int(try row.decode(27, as: Int32.self)),
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
