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

  /// - Parameter daily: hour and minute, such as `03:00`; nil uses the setting again.
  public func setDailyTime(_ daily: String?, zone: String, by worker: Actor, at time: Date) async throws {
    try await pool.change(at: time) { connection in
      _ = try await connection.run(SQL.forgetDailyTime())
      if let daily {
        _ = try await connection.run(SQL.keepDailyTime(daily, zone: zone, account: worker.name, time: time))
      }
      return .made(
        worker.did(.publicationSchedule, to: "publication", after: ["time": daily.map { "\($0) \(zone)" } ?? ""]))
    }
  }
}

extension SQL {
  static func forgetDailyTime() -> Statement<Void> { Statement("DELETE FROM publication_schedule") }

  static func keepDailyTime(_ daily: String, zone: String, account: String, time: Date) -> Statement<Void> {
    Statement(
      """
      INSERT INTO publication_schedule (time_of_day, time_zone, set_by, set_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (only_row) DO UPDATE SET time_of_day = excluded.time_of_day, time_zone = excluded.time_zone,
        set_by = excluded.set_by, set_at = excluded.set_at
      """,
      daily, zone, account, time)
  }
}
