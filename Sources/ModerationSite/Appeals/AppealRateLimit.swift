import HTTPServer
import Foundation
import Synchronization

/// How many appeals each network may send in a day: many with work done, few without.
final class AppealRateLimit: Sendable {
  private struct Counts {
    var worked: DailyCounts
    var waited: DailyCounts
  }

  private let counts: Mutex<Counts?>
  private let clock: LimitClock

  /// - Parameter limits: where networks have none, they have none here.
  init(limits: RequestLimits, clock: LimitClock) {
    self.clock = clock
    counts = Mutex(
      limits.network == nil
        ? nil
        : Counts(
          worked: DailyCounts(limit: limits.appealsADay, capacity: 16_384),
          waited: DailyCounts(limit: max(1, limits.appealsADay / 6), capacity: 16_384)))
  }

  /// Counts an appeal.
  /// - Returns: whether the network may send it.
  func take(_ network: ClientNetwork, isWorked: Bool) -> Bool {
    let now = clock.wall()
    return counts.withLock { counts in
      (isWorked ? counts?.worked.take(network, at: now) : counts?.waited.take(network, at: now)) ?? true
    }
  }

  /// Seconds until a network may send again.
  var secondsLeft: Int { DailyCounts.secondsLeft(at: clock.wall()) }
}
