// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PostgreSQL

/// The installations with whose tokens reports of an app's reporters came. With a token the installation is the reporter, so
/// a person's reports are found by these links.
extension ReportStore {
  /// Stores the links of reporters to the installation that has sent their reports. A new installation of a restricted
  /// reporter is restricted too. Safe to repeat.
  /// - Parameters:
  ///   - reporters: pseudonyms of the app's own names.
  ///   - installation: the pseudonym under which the reports are stored.
  public func link(_ reporters: [[UInt8]], to installation: [UInt8], at time: Date) async throws {
    let new = try await pool.retrying {
      try await $0.run(SQL.linkReporters(reporters: reporters, installation: installation, time: time))
    }
    guard !new.isEmpty, try await !pool.run(SQL.findRestricted(reporters: new)).isEmpty else { return }
    _ = try await pool.run(SQL.restrictReporters(reporters: [installation], time: time))
  }
}

extension ErasureStore {
  /// The pseudonyms of the installations that have sent reports of a reporter.
  public func installations(of reporter: [UInt8]) async throws -> [[UInt8]] {
    try await pool.run("SELECT installation FROM reporter_installations WHERE reporter = $1 ORDER BY 1", reporter) {
      try $0.decode(0)
    }
  }
}

extension InstallationStore {
  /// The app's name for the reporter of an installation. One whose token was deleted is known by its digest alone.
  /// - Parameter text: a token, or the identifier of an installation: 64 hexadecimal digits.
  public func reporter(of text: String, app: App) async throws -> String {
    let digest = Hexadecimal.bytes(text).flatMap { $0.count == 32 ? $0 : nil } ?? Secret.hash(text)
    let device =
      try await pool.run("SELECT device FROM installations WHERE digest = $1 AND app_id = $2", digest, app.id) {
        try $0.decode(0, as: [UInt8]?.self)
      }.first ?? nil
    return Installation.reporter(of: device ?? digest)
  }
}

extension SQL {
  /// Stores links of reporters to an installation; returns the reporters whose link is new.
  static func linkReporters(reporters: [[UInt8]], installation: [UInt8], time: Date) -> Statement<[UInt8]> {
    Statement(
      """
      INSERT INTO reporter_installations (reporter, installation, linked_at)
      SELECT DISTINCT reporter, $2::bytea, $3::timestamptz FROM unnest($1::bytea[]) AS t (reporter) ORDER BY reporter
      ON CONFLICT (reporter, installation) DO NOTHING RETURNING reporter
      """,
      reporters, installation, time)
  }

  static func findRestricted(reporters: [[UInt8]]) -> Statement<[UInt8]> {
    Statement(
      "SELECT reporter FROM reporter_weights WHERE reporter = ANY($1::bytea[]) AND restricted_at IS NOT NULL", reporters
    )
  }

  /// The digest of a report's id; see the table `erased_reports`.
  private static func digest(of row: String) -> String {
    "sha256(int4send(\(row).app_id) || uuid_send(\(row).report_id))"
  }

  /// The ordinals of the reports of `input i` that were erased, each with the state of a withdrawn one.
  static func erasedInput(in tables: TableNames) -> String {
    """
    SELECT i.ordinal, 2 AS state
    FROM input i CROSS JOIN LATERAL (
      SELECT 1 FROM \(tables["erased_reports"]) e WHERE e.digest = \(digest(of: "i")) LIMIT 1
    ) gone
    """
  }

  /// Stores the ids of erased reports, and deletes those that are refused by their age.
  static func rememberErased(apps: [Int32], reports: [UUID], time: Date) -> Statement<Void> {
    Statement(
      """
      WITH old AS (DELETE FROM erased_reports WHERE erased_at < $4)
      INSERT INTO erased_reports (digest, erased_at)
      SELECT \(digest(of: "t")), $3::timestamptz FROM unnest($1::integer[], $2::uuid[]) AS t (app_id, report_id)
      ON CONFLICT (digest) DO NOTHING
      """,
      apps, reports, time, time - RetainedData.erasuresKept)
  }

  static func findErasures(since: Date) -> Statement<Bool> {
    Statement("SELECT EXISTS (SELECT 1 FROM erased_reports WHERE erased_at >= $1)", since)
  }
}
