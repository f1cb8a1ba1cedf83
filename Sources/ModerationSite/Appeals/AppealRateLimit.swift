// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Foundation
import Synchronization

/// Limits the appeals of each network per day. Appeals without proof of work have a sixth of the limit.
final class AppealRateLimit: Sendable {
  private struct Counts {
    var worked: DailyCounts
    var waited: DailyCounts
  }

  private let counts: Mutex<Counts?>
  private let clock: LimitClock

  /// - Parameter limits: if networks have no limit, appeals have none.
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

  /// Seconds until the counts start again.
  var secondsLeft: Int { DailyCounts.secondsLeft(at: clock.wall()) }
}
