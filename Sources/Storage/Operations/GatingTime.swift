// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// A stored time that work waits for. A clock that jumped ahead may have set it, so a value further ahead of the present than
/// a right clock can set it is ignored.
public enum GatingTime: String, Sendable, CaseIterable {
  case publicationTime = "publications.as_of"
  case publicationHeartbeat = "publications.heartbeat_at"
  case nextRefresh = "source_feeds.next_at"
  case completeRefresh = "source_feeds.complete_at"
  case judgment = "source_feeds.judged_at"
  case signInWait = "sign_in_attempts.closed_until"
  case failedSignIn = "sign_in_attempts.last_at"
  case lease = "job_leases.expires_at"
  case jobHeartbeat = "background_jobs.heartbeat_at"
  case bulkHeartbeat = "bulks.heartbeat_at"
  case nextDelivery = "outbox.next_attempt_at"
  case claim = "queue.claimed_until"
  case statistics = "statistics_watermarks.counted_until"
  case droppedReports = "report_retention.dropped_before"

  /// How far ahead a time of the present may be before it is attributed to a wrong clock, in seconds: an hour.
  static let lead: TimeInterval = 3_600

  /// 9999-01-01: messages that are given up.
  static let never = Date(timeIntervalSince1970: 253_370_764_800)

  /// The longest time from the present on that the value may have, in seconds, without ``lead``.
  private var span: String {
    switch self {
    case .nextRefresh: "greatest(every_seconds * 1.05, 86400)"
    case .signInWait, .claim, .nextDelivery: "3600"
    default: "0"
    }
  }

  var place: (table: String, column: String) {
    let parts = rawValue.split(separator: ".").map(String.init)
    return (parts[0], parts[1])
  }

  /// The condition that only a wrong clock can have set the value.
  /// - Parameters:
  ///   - now: the present time in SQL.
  ///   - row: the name of the row, with a dot; empty where there is one table.
  func isWrong(at now: String = "statement_timestamp()", row: String = "") -> String {
    let column = row + place.column
    let condition = "\(column) > \(now)::timestamptz + make_interval(secs => \(span) + \(Int(Self.lead)))"
    return self == .nextDelivery ? "(\(condition) AND \(column) < '9999-01-01T00:00:00Z')" : condition
  }

  /// The condition that a heartbeat is missing for some seconds, or that only a wrong clock can have set it.
  func isSilent(for seconds: String, row: String = "") -> String {
    let time = row + place.column
    return "(\(time) < statement_timestamp() - make_interval(secs => \(seconds)) OR \(isWrong(row: row)))"
  }

  /// Whether a value of the present, such as the time of an event, is not of a wrong clock.
  static func isRight(_ value: Date, at now: Date) -> Bool { value <= now + lead }
}

extension OperationStore {
  /// The stored times that a wrong clock has set, each with the number of its rows.
  public func wrongTimes(at now: Date) async throws -> [(time: GatingTime, rows: Int)] {
    var found: [(GatingTime, Int)] = []
    for time in GatingTime.allCases {
      if let rows = try await pool.run(SQL.countWrongTimes(of: time, at: now)).first, rows > 0 {
        found.append((time, rows))
      }
    }
    return found
  }
}

extension SQL {
  static func countWrongTimes(of time: GatingTime, at now: Date) -> Statement<Int> {
    Statement("SELECT count(*) FROM \(time.place.table) WHERE \(time.isWrong(at: "$1"))", now) {
      Int(try $0.decode(0, as: Int64.self))
    }
  }
}
