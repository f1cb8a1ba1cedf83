// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A token bucket for each key, stored as one number: the time when it will be full.
///
/// This is the generic cell rate algorithm (ITU-T I.371): a bucket that will be full at `t` lacks `(t − now) · rate`
/// tokens.
struct TokenBuckets: Sendable {
  struct Level: Equatable {
    /// Whole tokens; 0 if it is empty or in debt.
    let tokens: Int
    /// Seconds until it is full, rounded up.
    let fullIn: Int
  }

  let rate: RequestLimits.Rate
  private let interval: UInt64
  private var fullAt: BoundedTable

  /// - Parameter capacity: maximum stored keys.
  init(rate: RequestLimits.Rate, capacity: Int) {
    self.rate = rate
    interval = 1_000_000_000 / UInt64(rate.perSecond)
    fullAt = BoundedTable(capacity: capacity)
  }

  /// Takes tokens. A cost above the bucket's capacity is accepted from a full bucket, which is in debt afterwards.
  /// - Parameters:
  /// - cost: from 0; 0 takes nothing, but needs one available token.
  /// - now: nanoseconds.
  /// - Returns: seconds until the next attempt can succeed, rounded up; nil if the tokens were taken.
  mutating func take(_ cost: Int, from key: some Hashable, now: UInt64) -> Int? {
    let start = max(fullAt[key], now)
    let missing = start - now
    let needed = UInt64(min(max(cost, 1), rate.burst)) * interval
    let depth = UInt64(rate.burst) * interval
    if missing + needed > depth { return Self.seconds(missing + needed - depth) }
    if cost > 0 { fullAt[key] = start + UInt64(cost) * interval }
    return nil
  }

  /// - Parameter now: nanoseconds.
  func standing(of key: some Hashable, now: UInt64) -> Level {
    let missing = max(fullAt[key], now) - now
    let depth = UInt64(rate.burst) * interval
    return Level(tokens: missing > depth ? 0 : Int((depth - missing) / interval), fullIn: Self.seconds(missing))
  }

  private static func seconds(_ nanoseconds: UInt64) -> Int {
    Int((nanoseconds + 999_999_999) / 1_000_000_000)
  }
}

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

/// Values by key in memory of a fixed size. When it is full, small values are evicted first.
///
/// A key's hash selects eight slots. If all are used, the smallest value is evicted, so keys near their limit stay
/// longest. To evict a key, an attacker needs eight other keys with the same slots and larger values. Hashes are seeded
/// in every process, so slots cannot be chosen, and each of those keys has its own limit.
///
/// A shared counter without keys would never evict, but an attacker with many keys could raise the counters of others.
/// Here many keys only evict senders that have sent little.
struct BoundedTable: Sendable {
  private struct Place {
    var key: UInt64 = 0
    /// 0 for an empty slot.
    var value: UInt64 = 0
  }

  private static let places = 8
  private var table: [Place]
  private let mask: Int

  /// - Parameter capacity: rounded up to a power of two; each slot takes 16 bytes.
  init(capacity: Int) {
    var sets = 1
    while sets * Self.places < capacity { sets *= 2 }
    table = Array(repeating: Place(), count: sets * Self.places)
    mask = sets - 1
  }

  /// The value of a key; 0 if it is missing.
  subscript(key: some Hashable) -> UInt64 {
    get {
      let hash = Self.hash(key)
      return places(of: hash).lazy.map { table[$0] }.first { $0.key == hash }?.value ?? 0
    }
    set {
      let hash = Self.hash(key)
      let places = places(of: hash)
      let place =
        places.first { table[$0].key == hash } ?? places.min { table[$0].value < table[$1].value } ?? places.lowerBound
      table[place] = Place(key: hash, value: newValue)
    }
  }

  mutating func removeAll() {
    for place in table.indices { table[place] = Place() }
  }

  /// Collisions of 64-bit hashes are so rare that keys are not stored.
  private static func hash(_ key: some Hashable) -> UInt64 {
    UInt64(bitPattern: Int64(key.hashValue))
  }

  private func places(of hash: UInt64) -> Range<Int> {
    let first = (Int(truncatingIfNeeded: hash >> 20) & mask) * Self.places
    return first..<first + Self.places
  }
}
