// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The days by which the server counts calls.
enum UTCDay {
  /// Returns the day of a time, such as `2026-11-21`.
  static func text(of time: Date) -> String { String(time.formatted(.iso8601).prefix(10)) }

  /// Returns the seconds until the next day starts.
  static func secondsLeft(at time: Date) -> Double {
    86_400 - time.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
  }
}
