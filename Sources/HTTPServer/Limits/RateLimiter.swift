// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HTTPTypes
package import Metrics
import Storage
import Synchronization
import ServerSupport

/// Rate limits of apps, networks and reporters, in memory of a fixed size: about 5 MB.
package final class RateLimiter: Sendable {
  private struct State {
    var apps: TokenBuckets?
    var networks: TokenBuckets?
    var reporters: DailyCounts?
  }

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
  struct Allowance: Equatable {
    let limit: String
    let rate: RequestLimits.Rate
    let standing: TokenBuckets.Level
  }

  private struct Reporter: Hashable {
    let appID: Int32
    let name: String
  }

  /// A network that an app's server names. It has a bucket for each app, so that a server that names the networks of
  /// others takes nothing from them.
  private struct NamedNetwork: Hashable {
    let appID: Int32
    let pseudonym: [UInt8]
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
  /// - Parameters:
  ///   - cost: 0 only checks that one token is available.
  ///   - networkCost: the network's part, where it is less.
  package func take(
    _ cost: Int, network: ClientNetwork, appID: Int32? = nil, networkCost: Int? = nil
  ) -> Refusal? {
    let refusal = charge(cost, network: network, appID: appID, networkCost: networkCost)
    if let refusal { refusals[refusal.limit]?.increment() }
    return refusal
  }

  /// Takes tokens like ``take(_:network:appID:networkCost:)``, without counting a refusal in the metrics.
  @discardableResult
  package func charge(
    _ cost: Int, network: ClientNetwork, appID: Int32? = nil, networkCost: Int? = nil
  ) -> Refusal? {
    let now = clock.monotonic()
    return state.withLock { state in
      if let wait = state.networks?.take(networkCost ?? cost, from: network, now: now) {
        return Refusal(limit: "network", retryAfter: wait)
      }
      if let appID, let wait = state.apps?.take(cost, from: appID, now: now) {
        return Refusal(limit: "app", retryAfter: wait)
      }
      return nil
    }
  }

  /// Takes one token of the network that a report names.
  /// - Parameter network: the keyed hash of the network.
  package func takeReport(ofNetwork network: [UInt8], appID: Int32) -> Refusal? {
    let (key, now) = (NamedNetwork(appID: appID, pseudonym: network), clock.monotonic())
    guard let wait = state.withLock({ $0.networks?.take(1, from: key, now: now) }) else { return nil }
    refusals["network"]?.increment()
    return Refusal(limit: "network", retryAfter: wait)
  }

  /// The remaining tokens of the limits that apply to a request.
  func allowances(network: ClientNetwork, appID: Int32?) -> [Allowance] {
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
  /// - Parameter reporters: nil for a report that no daily limit applies to.
  /// - Returns: for each reporter in order, whether the report is within the limit.
  package func takeReports(of reporters: [String?], appID: Int32) -> [Bool] {
    let now = clock.wall()
    let answers = state.withLock { state in
      reporters.map { name in
        name.flatMap { state.reporters?.take(Reporter(appID: appID, name: $0), at: now) } ?? true
      }
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

extension RateLimiter {
  private static let rateLimit = HTTPField.Name("RateLimit")!
  private static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")!

  /// Takes the rest of a request's cost after the first token.
  /// - Parameter networkCost: the part of the connection's network, where it is less.
  /// - Throws: ``Problem`` with status 429.
  package func charge(_ cost: Int, ofNetwork networkCost: Int? = nil, context: ServerRequestContext) throws {
    guard cost > 0,
      let refusal = take(cost, network: context.network, appID: context.app?.id, networkCost: networkCost)
    else { return }
    throw Problem.limited(refusal)
  }

  /// The fields `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers: the remaining tokens (r)
  /// and the seconds until the bucket is full (t); the bucket's quota (q) and the seconds that it takes to fill (w).
  package func headers(network: ClientNetwork, appID: Int32?) -> HTTPFields {
    let allowances = allowances(network: network, appID: appID)
    guard !allowances.isEmpty else { return [:] }
    let left = allowances.map { "\"\($0.limit)\";r=\($0.standing.tokens);t=\($0.standing.fullIn)" }
    let policies = allowances.map { allowance in
      let window = (allowance.rate.burst + allowance.rate.perSecond - 1) / allowance.rate.perSecond
      return "\"\(allowance.limit)\";q=\(allowance.rate.burst);w=\(window)"
    }
    return [
      Self.rateLimit: left.joined(separator: ", "), Self.rateLimitPolicy: policies.joined(separator: ", "),
    ]
  }
}

/// Rate limits of apps, networks and reporters.
///
/// The defaults do not affect honest senders. An app may send 10,000 reports per second, more than one PostgreSQL
/// stores from single requests. A network (/24 or /48) may hold 256 addresses of a carrier with a thousand phones each;
/// three reports per phone and day are 9 per second, a tenth of the limit. The burst is two full batches. No phone gets
/// 200 nuisance calls a day.
package struct RequestLimits: Sendable {
  /// The rate and burst of a token bucket; a report takes one token.
  package struct Rate: Sendable, Equatable {
    /// Tokens per second, 1 to 1,000,000.
    package let perSecond: Int
    /// The bucket's capacity, 1 to 1,000,000,000.
    package let burst: Int

    package init(perSecond: Int, burst: Int) {
      precondition((1...1_000_000).contains(perSecond) && (1...1_000_000_000).contains(burst))
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  /// The limit of one app; nil for none.
  package var app: Rate? = Rate(perSecond: 10_000, burst: 50_000)
  /// The limit of one network for requests of all apps; nil for none.
  package var network: Rate? = Rate(perSecond: 100, burst: 2_000)
  /// Maximum reports of a reporter in a UTC day; nil for no limit.
  package var reportsADay: Int? = 200
  /// Maximum appeals of a network in a UTC day with proof of work; without it, a sixth.
  package var appealsADay: Int = 30
  /// Maximum open connections of one network; nil for no limit. Not useful behind a proxy.
  package var connectionsPerNetwork: Int? = 512
  /// Maximum bytes of request bodies in memory; one network may use a quarter.
  package var bodyBytes: Int = 64 << 20

  package static let standard = RequestLimits()

  /// No limits except the memory of bodies: for benchmarks, and behind a gateway with its own limits.
  package static let off = RequestLimits(app: nil, network: nil, reportsADay: nil, connectionsPerNetwork: nil)
}

/// The clocks of rate limits; tests replace them.
package struct LimitClock: Sendable {
  /// Nanoseconds since an arbitrary start; never decreases.
  package let monotonic: @Sendable () -> UInt64
  /// The time of day, for limits of a day.
  package let wall: @Sendable () -> Date

  package init(monotonic: @escaping @Sendable () -> UInt64, wall: @escaping @Sendable () -> Date) {
    self.monotonic = monotonic
    self.wall = wall
  }

  package static let system = LimitClock(monotonic: { DispatchTime.now().uptimeNanoseconds }, wall: { Date() })
}
