// SPDX-License-Identifier: Apache-2.0

/// A token bucket for each key, stored as one number: the time when it will be full.
///
/// This is the generic cell rate algorithm (ITU-T I.371): a bucket that will be full at `t` lacks `(t − now) · rate`
/// tokens.
package struct TokenBuckets: Sendable {
  /// The fill level of a bucket.
  package struct Level: Equatable {
    /// Whole tokens; 0 if it is empty or in debt.
    package let tokens: Int
    /// Seconds until it is full, rounded up.
    package let fullIn: Int
  }

  package let rate: RequestLimits.Rate
  private let interval: UInt64
  private var fullAt: BoundedTable

  /// - Parameter capacity: maximum stored keys.
  package init(rate: RequestLimits.Rate, capacity: Int) {
    self.rate = rate
    interval = 1_000_000_000 / UInt64(rate.perSecond)
    fullAt = BoundedTable(capacity: capacity)
  }

  /// Takes tokens. A cost above the bucket's capacity is accepted from a full bucket, which is in debt afterwards.
  /// - Parameters:
  /// - cost: from 0; 0 takes nothing, but needs one available token.
  /// - now: nanoseconds.
  /// - Returns: seconds until the next attempt can succeed, rounded up; nil if the tokens were taken.
  package mutating func take(_ cost: Int, from key: some Hashable, now: UInt64) -> Int? {
    let start = max(fullAt[key], now)
    let missing = start - now
    let needed = UInt64(min(max(cost, 1), rate.burst)) * interval
    let depth = UInt64(rate.burst) * interval
    if missing + needed > depth { return Self.seconds(missing + needed - depth) }
    if cost > 0 { fullAt[key] = start + UInt64(cost) * interval }
    return nil
  }

  /// - Parameter now: nanoseconds.
  package func standing(of key: some Hashable, now: UInt64) -> Level {
    let missing = max(fullAt[key], now) - now
    let depth = UInt64(rate.burst) * interval
    return Level(tokens: missing > depth ? 0 : Int((depth - missing) / interval), fullIn: Self.seconds(missing))
  }

  private static func seconds(_ nanoseconds: UInt64) -> Int {
    Int((nanoseconds + 999_999_999) / 1_000_000_000)
  }
}
