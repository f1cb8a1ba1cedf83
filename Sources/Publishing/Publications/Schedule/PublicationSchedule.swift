// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Storage

/// The daily time of a publication in the operator's time zone.
public struct PublicationSchedule: Sendable, Equatable {
  /// The age from which the newest publication is late: a daily one with half a day more.
  public static let maxAge: TimeInterval = 36 * 3_600
  /// 0 to 23.
  public let hour: Int
  /// 0 to 59.
  public let minute: Int
  public let timeZone: TimeZone

  /// - Parameters:
  /// - time: hour and minute, such as `03:00`.
  /// - zone: a name of the time zone database, such as `Europe/Berlin`.
  /// - Returns: nil for anything else.
  public init?(time: String, zone: String) {
    guard let match = time.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/), let hour = Int(match.1),
      let minute = Int(match.2), let timeZone = TimeZone(identifier: zone)
    else { return nil }
    self.hour = hour
    self.minute = minute
    self.timeZone = timeZone
  }

  /// The last scheduled time at or before `now`.
  ///
  /// Each calendar day has exactly one such time. If clocks skip it, it is moved by the length of the gap; if they
  /// repeat it, the first one counts.
  public func last(atOrBefore now: Date) -> Date {
    times(around: now).last { $0 <= now } ?? now
  }

  public func next(after now: Date) -> Date {
    times(around: now).first { $0 > now } ?? now.addingTimeInterval(86_400)
  }

  private func times(around now: Date) -> [Date] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    // Two days each way, because a zone may skip a day.
    return (-2...2).compactMap { days in
      guard let day = calendar.date(byAdding: .day, value: days, to: now) else { return nil }
      var parts = calendar.dateComponents([.year, .month, .day], from: day)
      (parts.hour, parts.minute) = (hour, minute)
      return calendar.date(from: parts)
    }.sorted()
  }
}

/// Whether a scheduled publication is to be made now.
public enum PublicationTiming: Sendable, Equatable {
  /// It was published, or refused by a gate and needs an administrator.
  case done
  /// It is being made, or failed a short time ago.
  case wait
  case publish

  /// Seconds that a failure may be in the future before it is attributed to a clock that was ahead.
  private static let maxLead = 60.0

  /// - Parameter attempts: those that evaluate the numbers at the scheduled time or later.
  public init(_ attempts: PublicationAttempts) {
    if attempts.published + attempts.refused > 0 {
      self = .done
    } else if attempts.running > 0 {
      self = .wait
    } else if let seconds = attempts.sinceFailure,
      (-Self.maxLead..<Self.pause(after: attempts.failed)).contains(seconds)
    {
      self = .wait
    } else {
      self = .publish
    }
  }

  /// The pause in seconds: one minute after the first failure, doubled after each further one, at most ten minutes. A full
  /// disk or a stopped database may have been repaired.
  static func pause(after failures: Int) -> TimeInterval {
    60 * pow(2, Double(min(max(failures - 1, 0), 6))).clamped(to: 10)
  }
}

extension Double {
  fileprivate func clamped(to greatest: Double) -> Double { min(self, greatest) }
}
