// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Metrics
import Synchronization
import Telemetry

/// Rate limits of apps, networks and reporters, in memory of a fixed size: about 5 MB.
package final class RateLimiter: Sendable {
  private struct State {
    var apps: TokenBuckets?
    var networks: TokenBuckets?
    var reporters: DailyCounts?
  }

  /// The reason of a refusal.
  package struct Refusal: Equatable {
    /// The limit's name in `RateLimit`.
    package let limit: String
    /// Seconds.
    package let retryAfter: Int

    package init(limit: String, retryAfter: Int) {
      self.limit = limit
      self.retryAfter = retryAfter
    }
  }

  /// The remaining tokens of a limit.
  package struct Allowance: Equatable {
    package let limit: String
    package let rate: RequestLimits.Rate
    package let standing: TokenBuckets.Level
  }

  private struct Reporter: Hashable {
    let appID: Int32
    let name: String
  }

  private let clock: LimitClock
  private let state: Mutex<State>
  private let refusals: [String: Counter]

  package init(
    limits: RequestLimits, clock: LimitClock, metrics: any MetricsFactory = NOOPMetricsHandler.instance
  ) {
    self.clock = clock
    refusals = Dictionary(
      uniqueKeysWithValues: ["network", "app", "reporter"].map { limit in
        (limit, Counter(label: "ringfence_limits_refused_total", dimensions: [("limit", limit)], factory: metrics))
      })
    state = Mutex(
      State(
        apps: limits.app.map { TokenBuckets(rate: $0, capacity: 4_096) },
        networks: limits.network.map { TokenBuckets(rate: $0, capacity: 65_536) },
        reporters: limits.reportsADay.map { DailyCounts(limit: $0, capacity: 262_144) }))
  }

  /// Takes tokens from the network and, if there is an app, from the app. The network is first, so that one network
  /// over its limit does not empty the app's bucket for others.
  /// - Parameter cost: 0 only checks that one token is available.
  package func take(_ cost: Int, network: ClientNetwork, appID: Int32? = nil) -> Refusal? {
    let refusal = charge(cost, network: network, appID: appID)
    if let refusal { refusals[refusal.limit]?.increment() }
    return refusal
  }

  /// Takes tokens like ``take(_:network:appID:)``, without counting a refusal in the metrics.
  @discardableResult
  package func charge(_ cost: Int, network: ClientNetwork, appID: Int32? = nil) -> Refusal? {
    let now = clock.monotonic()
    return state.withLock { state in
      if let wait = state.networks?.take(cost, from: network, now: now) {
        return Refusal(limit: "network", retryAfter: wait)
      }
      if let appID, let wait = state.apps?.take(cost, from: appID, now: now) {
        return Refusal(limit: "app", retryAfter: wait)
      }
      return nil
    }
  }

  /// The remaining tokens of the limits that apply to a request.
  package func allowances(network: ClientNetwork, appID: Int32?) -> [Allowance] {
    let now = clock.monotonic()
    return state.withLock { state in
      var allowances: [Allowance] = []
      if let appID, let apps = state.apps {
        allowances.append(.init(limit: "app", rate: apps.rate, standing: apps.standing(of: appID, now: now)))
      }
      if let networks = state.networks {
        allowances.append(
          .init(limit: "network", rate: networks.rate, standing: networks.standing(of: network, now: now)))
      }
      return allowances
    }
  }

  /// Counts one report for each reporter.
  /// - Returns: for each reporter in order, whether the report is within the limit.
  package func takeReports(of reporters: [String], appID: Int32) -> [Bool] {
    let now = clock.wall()
    let answers = state.withLock { state in
      reporters.map { state.reporters?.take(Reporter(appID: appID, name: $0), at: now) ?? true }
    }
    let refused = answers.count { !$0 }
    if refused > 0 { refusals["reporter"]?.increment(by: refused) }
    return answers
  }

  /// Undoes the count of reports that were repeated or invalid.
  package func giveBackReports(of reporters: [String], appID: Int32) {
    guard !reporters.isEmpty else { return }
    let now = clock.wall()
    state.withLock { state in
      for name in reporters { state.reporters?.giveBack(Reporter(appID: appID, name: name), takenAt: now) }
    }
  }

  /// Seconds until reporters may send again.
  package var secondsLeftInDay: Int { DailyCounts.secondsLeft(at: clock.wall()) }
}
