// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// The statistics of each day, from which the start page is drawn without reading reports.
///
/// Reports are counted after they have arrived, from where the last count ended, and added to the day on which they
/// were made: a count reads only the last minutes. Present states (listings, holds, appeals, proposed ranges) are
/// stored as of the last count of a day.
public struct StatisticsStore: Sendable {
  private let pool: PostgresPool

  /// Time after which arrived reports are visible, in seconds: a report carries the time at which its transaction
  /// began.
  static let settling: TimeInterval = 15
  /// How far a watermark may be in the future before it is attributed to a wrong clock, in seconds.
  static let greatestLead: TimeInterval = 3_600

  /// A daily count.
  public enum Statistic: String, Sendable, CaseIterable {
    /// Reports made on the day, including those of lists and withdrawn ones.
    case reports
    /// Decisions of the day, including undone ones.
    case decisions
    /// Numbers that the newest publication of the day lists.
    case listed
    /// Numbers on hold.
    case held
    /// Open appeals.
    case appeals
    /// Proposed ranges.
    case ranges
  }

  /// - Parameter pool: where statistics are stored.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Updates the statistics. Of several servers that do so at once only one counts.
  /// - Parameter isWhole: whether present states are counted too, which scans the listings.
  public func refresh(at time: Date, isWhole: Bool = true) async throws {
    try await pool.transaction { connection in
      let watermark = try await connection.run(SQL.readStatisticsWatermark()).first
      // No report is in progress before the first server has started.
      let until = watermark == nil ? time : time - Self.settling
      if let watermark, watermark > time + Self.greatestLead {
        // A fast clock has set it. Reports that arrived meanwhile are not counted; later ones are.
        _ = try await connection.run(SQL.moveStatisticsWatermark(from: watermark, to: until))
      } else if watermark.map({ $0 < until }) ?? true {
        guard try await !connection.run(SQL.moveStatisticsWatermark(from: watermark, to: until)).isEmpty else { return }
        let begin = watermark ?? Date(timeIntervalSince1970: 0)
        _ = try await connection.run(SQL.countArrivedReports(from: begin, to: until))
      }
      _ = try await connection.run(SQL.countDecisions(since: Self.midnight(before: time) - 86_400))
      if isWhole { _ = try await connection.run(SQL.recordCurrentStatistics(time: time)) }
    }
  }

  /// The statistics of the last days, today last; a missing value is 0.
  /// - Parameter days: 1 or more.
  public func days(_ days: Int, until time: Date) async throws -> [DailyStatistics] {
    let first = Self.midnight(before: time) - Double(days - 1) * 86_400
    let firstDay = Int32(first.timeIntervalSince1970 / 86_400)
    var all = (0..<days).map { DailyStatistics(day: first + Double($0) * 86_400) }
    for row in try await pool.run(SQL.readStatistics(since: first)) {
      let place = Int(row.day - firstDay)
      guard all.indices.contains(place), let statistic = Statistic(rawValue: row.statistic) else { continue }
      all[place].values[statistic] = row.value
    }
    return all
  }

  private static func midnight(before time: Date) -> Date {
    Date(timeIntervalSince1970: (time.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
  }
}

/// The statistics of one day.
public struct DailyStatistics: Sendable, Equatable {
  /// The beginning of the day, UTC.
  public var day: Date
  /// The counts.
  public var values: [StatisticsStore.Statistic: Int64] = [:]

  /// - Parameter day: midnight UTC.
  public init(day: Date) {
    self.day = day
  }

  /// A value; 0 where none was stored.
  public subscript(statistic: StatisticsStore.Statistic) -> Int64 { values[statistic] ?? 0 }
}
