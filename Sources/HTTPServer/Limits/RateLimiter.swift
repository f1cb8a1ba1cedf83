import Foundation
package import Metrics
import Synchronization
import Telemetry

/// Counts what apps, networks and reporters send, in memory of a fixed size: about 5 MB.
package final class RateLimiter: Sendable {
  private struct State {
    var apps: TokenBuckets?
    var networks: TokenBuckets?
    var reporters: DailyCounts?
  }

  /// Why something is refused.
  package struct Refusal: Equatable {
    /// Name of the limit, as `RateLimit` has it.
    package let limit: String
    /// Seconds.
    package let retryAfter: Int

    package init(limit: String, retryAfter: Int) {
      self.limit = limit
      self.retryAfter = retryAfter
    }
  }

  /// What is left of one limit.
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

  /// Takes tokens of the network and, when an app is named, of the app. The network comes first: what it may not send
  /// does not drain the app's bucket for the other networks.
  /// - Parameter cost: 0 only asks whether there is one.
  package func take(_ cost: Int, network: ClientNetwork, appID: Int32? = nil) -> Refusal? {
    let refusal = charge(cost, network: network, appID: appID)
    if let refusal { refusals[refusal.limit]?.increment() }
    return refusal
  }

  /// As ``take(_:network:appID:)``, where nobody is refused by it.
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

  /// What is left of the limits that hold for a request.
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

  /// Counts a report of each reporter.
  /// - Returns: for each in order, whether the reporter may send it.
  package func takeReports(of reporters: [String], appID: Int32) -> [Bool] {
    let now = clock.wall()
    let answers = state.withLock { state in
      reporters.map { state.reporters?.take(Reporter(appID: appID, name: $0), at: now) ?? true }
    }
    let refused = answers.count { !$0 }
    if refused > 0 { refusals["reporter"]?.increment(by: refused) }
    return answers
  }

  /// Uncounts what turned out to be no new report: one sent again, or one with a mistake.
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
