import Foundation

/// Days as the server counts calls by them.
enum UTCDay {
  /// Such as `2026-11-21`.
  static func text(of time: Date) -> String { String(time.formatted(.iso8601).prefix(10)) }

  /// Seconds until the next day begins.
  static func secondsLeft(at time: Date) -> Double {
    86_400 - time.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
  }
}
