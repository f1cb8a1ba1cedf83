public import Foundation
public import PostgreSQL

/// The statistics of each day, which the front page draws without a look at the reports.
///
/// Reports are counted when they have arrived, from where the last count ended, and added to the day on which they were
/// said: a count reads the pages of the last minutes, whatever there is before them. What stands (listed, held, appeals,
/// proposed ranges) is noted as of the last count of a day.
public struct StatisticsStore: Sendable {
  private let pool: PostgresPool

  /// What arrives is visible by then: reports bear the time at which their transaction was begun.
  static let settling: TimeInterval = 15
  /// How far a watermark may lie ahead before it is taken for that of a wrong clock: servers' clocks differ a little.
  static let greatestLead: TimeInterval = 3_600

  /// What is counted.
  public enum Statistic: String, Sendable, CaseIterable {
    /// Reports said on the day, lists among them, withdrawn ones too.
    case reports
    /// Decisions of the day, and those that were taken back.
    case decisions
    /// Numbers that the newest publication of the day lists.
    case listed
    /// Numbers kept back for a moderator.
    case held
    /// Open appeals.
    case appeals
    /// Ranges that wait for a moderator.
    case ranges
  }

  /// - Parameter pool: where statistics are stored.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Brings the statistics up to date. Of several servers that do so at once one counts.
  /// - Parameter isWhole: whether what stands is counted too: a look through what is listed.
  public func refresh(at time: Date, isWhole: Bool = true) async throws {
    try await pool.transaction { connection in
      let watermark = try await connection.run(ReadStatisticsWatermark()).first
      // Nothing is on its way before the first server has begun to take reports.
      let until = watermark == nil ? time : time - Self.settling
      if let watermark, watermark > time + Self.greatestLead {
        // It was set by a clock that ran ahead. What came meanwhile is not counted any more; what comes now is.
        _ = try await connection.run(MoveStatisticsWatermark(from: watermark, to: until))
      } else if watermark.map({ $0 < until }) ?? true {
        guard try await !connection.run(MoveStatisticsWatermark(from: watermark, to: until)).isEmpty else { return }
        let begin = watermark ?? Date(timeIntervalSince1970: 0)
        _ = try await connection.run(CountArrivedReports(from: begin, to: until))
      }
      _ = try await connection.run(CountDecisions(since: Self.midnight(before: time) - 86_400))
      if isWhole { _ = try await connection.run(RecordCurrentStatistics(time: time)) }
    }
  }

  /// The statistics of the last days, today last; a value that is missing is 0.
  /// - Parameter days: 1 or more.
  public func days(_ days: Int, until time: Date) async throws -> [DailyStatistics] {
    let first = Self.midnight(before: time) - Double(days - 1) * 86_400
    let firstDay = Int32(first.timeIntervalSince1970 / 86_400)
    var all = (0..<days).map { DailyStatistics(day: first + Double($0) * 86_400) }
    for row in try await pool.run(ReadStatistics(since: first)) {
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
  /// Its beginning, UTC.
  public var day: Date
  /// What was counted.
  public var values: [StatisticsStore.Statistic: Int64] = [:]

  /// - Parameter day: midnight UTC.
  public init(day: Date) {
    self.day = day
  }

  /// A value; 0 where none was stored.
  public subscript(statistic: StatisticsStore.Statistic) -> Int64 { values[statistic] ?? 0 }
}
