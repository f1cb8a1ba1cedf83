// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

extension PublicationStore {
  /// The daily time that an administrator has set, such as `03:00`, its time zone, and when it was set; nil for none.
  public func dailyTime() async throws -> (time: String, zone: String, since: Date)? {
    try await pool.run("SELECT time_of_day, time_zone, set_at FROM publication_schedule") {
      (
        time: try $0.decode(0, as: String.self), zone: try $0.decode(1, as: String.self),
        since: try $0.decode(2, as: Date.self)
      )
    }.first
  }

  /// - Parameters:
  ///   - daily: hour and minute, such as `03:00`; nil uses the setting again.
  ///   - former: the time that the form showed; nil for none.
  /// - Returns: whether the time is stored. Otherwise nothing is changed, because a different time was stored meanwhile.
  public func setDailyTime(
    _ daily: String?, insteadOf former: String?, zone: String, by worker: Actor, at time: Date
  ) async throws -> Bool {
    try await pool.change(at: time) { connection in
      let stored = try await connection.run(SQL.lockDailyTime()).first
      // Also the same form again.
      if stored?.0 == daily, daily == nil || stored?.1 == zone { return .none(true) }
      guard stored?.0 == former else { return .none(false) }
      _ = try await connection.run(SQL.forgetDailyTime())
      if let daily {
        let kept = try await connection.run(SQL.keepDailyTime(daily, zone: zone, account: worker.name, time: time))
        // Another session has stored the first one.
        guard !kept.isEmpty else { return .none(false) }
      }
      return .made(
        worker.did(.publicationSchedule, to: "publication", after: ["time": daily.map { "\($0) \(zone)" } ?? ""]), true)
    }
  }
}

extension SQL {
  /// The time of day and its zone, locked; no row for none.
  static func lockDailyTime() -> Statement<(String, String)> {
    Statement("UPDATE publication_schedule SET set_at = set_at RETURNING time_of_day, time_zone")
  }

  static func forgetDailyTime() -> Statement<Void> { Statement("DELETE FROM publication_schedule") }

  /// No row where another session has stored one.
  static func keepDailyTime(_ daily: String, zone: String, account: String, time: Date) -> Statement<String> {
    Statement(
      """
      INSERT INTO publication_schedule (time_of_day, time_zone, set_by, set_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (only_row) DO NOTHING RETURNING time_of_day
      """,
      daily, zone, account, time)
  }
}
