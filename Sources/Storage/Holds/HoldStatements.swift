// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

extension SQL {
  /// Adds holds for numbers without one; those of numbers that were decided meanwhile are settled at once.
  static func addHolds(
    numbers: [Int64], findings: [BrigadeDetection.Finding], time: Date
  ) -> Statement<(number: Int64, isSettled: Bool)> {
    Statement(
      """
      INSERT INTO holds (number, reason, held_at, settled)
      SELECT t.number, t.reason::jsonb, $3::timestamptz,
             t.number IN (SELECT r.number FROM number_decisions r WHERE r.number = ANY($1::bigint[]))
      FROM unnest($1::bigint[], $2::text[]) AS t (number, reason) ORDER BY t.number
      ON CONFLICT (number) DO NOTHING
      RETURNING number, settled
      """,
      numbers, findings.map { HoldSQL.json($0.reason) }, time
    ) { (try $0.decode(0), try $0.decode(1)) }
  }

  /// Stores the reporters whose reports formed a burst.
  static func addHoldReporters(members: [(number: Int64, reporter: Reporter)]) -> Statement<Void> {
    Statement(
      """
      INSERT INTO hold_reporters (number, reporter)
      SELECT number, reporter FROM unnest($1::bigint[], $2::bytea[]) AS t (number, reporter) ORDER BY number, reporter
      ON CONFLICT (number, reporter) DO NOTHING
      """,
      members.map(\.number), members.map(\.reporter.bytes))
  }

  /// Stores bursts that are usual; the newest of a number replaces the others.
  static func addUsualBursts(found: [(number: Int64, burst: UsualBurst)], time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO usual_bursts (number, reason, judged_at)
      SELECT t.number, t.reason::jsonb, $3::timestamptz
      FROM unnest($1::bigint[], $2::text[]) AS t (number, reason) ORDER BY t.number
      ON CONFLICT (number) DO UPDATE SET reason = excluded.reason, judged_at = excluded.judged_at
      """,
      found.map(\.number), found.map { HoldSQL.json($0.burst) }, time)
  }

  /// The burst of a number that was usual when it was judged.
  static func readUsualBurst(number: Int64) -> Statement<Explanation.Usual> {
    Statement(
      "SELECT reason, judged_at FROM usual_bursts WHERE number = $1",
      number
    ) { Explanation.Usual(burst: try HoldSQL.coded($0.decode(0)), judgedAt: try $0.decode(1)) }
  }

  /// All holds that no decision has settled, in ascending order of number.
  ///
  /// A hold and a decision that are made at the same moment do not see each other, so `settled` may not be set: a
  /// decision in force settles a hold as well.
  static func readHolds() -> Statement<Hold> {
    Statement(
      "SELECT \(HoldSQL.columns) FROM holds h WHERE NOT \(HoldSQL.isSettled) ORDER BY number", decode: HoldSQL.decode)
  }

  /// A number's hold, settled or not.
  static func readHold(number: Int64) -> Statement<Hold> {
    Statement(
      "SELECT \(HoldSQL.columns) FROM holds h WHERE number = $1",
      number, decode: HoldSQL.decode)
  }
}

private enum HoldSQL {
  static let isSettled = "(h.settled OR EXISTS (SELECT 1 FROM number_decisions r WHERE r.number = h.number))"
  static let columns = "h.number, h.reason, h.held_at, \(isSettled)"

  static func decode(_ row: PostgresRow) throws -> Hold {
    Hold(
      number: try row.decode(0), reason: try coded(row.decode(1)), heldAt: try row.decode(2),
      isSettled: try row.decode(3))
  }

  static func json(_ reason: some CodedData) -> String {
    // Texts and whole numbers always encode.
    (try? JSONEncoder().encode(reason)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  static func coded<Coded: CodedData>(_ json: String) throws -> Coded {
    do {
      return try Coded(json: json)
    } catch {
      throw StorageError.unknownRule(json)
    }
  }
}
