// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Counts for each key in the current UTC day.
package struct DailyCounts: Sendable {
  package let limit: Int
  private var counts: BoundedTable
  private var day = 0

  /// - Parameter capacity: maximum stored keys.
  package init(limit: Int, capacity: Int) {
    self.limit = limit
    counts = BoundedTable(capacity: capacity)
  }

  /// Counts one.
  /// - Returns: false if the key has reached its limit; nothing is counted then.
  package mutating func take(_ key: some Hashable, at time: Date) -> Bool {
    begin(Self.day(of: time))
    let count = counts[key]
    guard count < UInt64(limit) else { return false }
    counts[key] = count + 1
    return true
  }

  /// Undoes a ``take(_:at:)`` of the same day.
  package mutating func giveBack(_ key: some Hashable, takenAt time: Date) {
    guard Self.day(of: time) == day else { return }
    let count = counts[key]
    if count > 0 { counts[key] = count - 1 }
  }

  /// Whole seconds until the next UTC day.
  package static func secondsLeft(at time: Date) -> Int {
    86_400 - Int(time.timeIntervalSince1970) % 86_400
  }

  private mutating func begin(_ newDay: Int) {
    if newDay != day {
      counts.removeAll()
      day = newDay
    }
  }

  private static func day(of time: Date) -> Int { Int(time.timeIntervalSince1970) / 86_400 }
}
