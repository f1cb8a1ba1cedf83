/// A bucket of tokens for every key, each held as one number: the moment when it will be full again.
///
/// This is the generic cell rate algorithm (ITU-T I.371): a bucket that will be full at `t` lacks `(t − now) · rate`.
package struct TokenBuckets: Sendable {
  /// What a bucket holds.
  package struct Level: Equatable {
    /// Whole tokens; 0 when it is empty or in debt.
    package let tokens: Int
    /// Seconds until it is full, rounded up.
    package let fullIn: Int
  }

  package let rate: RequestLimits.Rate
  private let interval: UInt64
  private var fullAt: BoundedTable

  /// - Parameter capacity: how many keys are remembered.
  package init(rate: RequestLimits.Rate, capacity: Int) {
    self.rate = rate
    interval = 1_000_000_000 / UInt64(rate.perSecond)
    fullAt = BoundedTable(capacity: capacity)
  }

  /// Takes tokens. What costs more than a bucket can ever hold is let in by a full one, which is in debt afterwards.
  /// - Parameters:
  ///   - cost: from 0; with 0 nothing is taken but one token has to be there.
  ///   - now: nanoseconds.
  /// - Returns: seconds until it is worth another try, rounded up; nil when the tokens were taken.
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
