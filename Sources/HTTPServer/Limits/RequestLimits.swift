// SPDX-License-Identifier: Apache-2.0

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

    /// - Parameters: see the properties.
    package init(perSecond: Int, burst: Int) {
      precondition((1...1_000_000).contains(perSecond) && (1...1_000_000_000).contains(burst))
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  /// The limit of one app; nil for none.
  package var app: Rate?
  /// The limit of one network for requests of all apps; nil for none.
  package var network: Rate?
  /// Maximum reports of a reporter in a UTC day; nil for no limit.
  package var reportsADay: Int?
  /// Maximum appeals of a network in a UTC day with proof of work; without it, a sixth.
  package var appealsADay: Int
  /// Maximum open connections of one network; nil for no limit. Not useful behind a proxy.
  package var connectionsPerNetwork: Int?
  /// Maximum bytes of request bodies in memory; one network may use a quarter.
  package var bodyBytes: Int

  /// - Parameters: see the properties.
  package init(
    app: Rate? = Rate(perSecond: 10_000, burst: 50_000), network: Rate? = Rate(perSecond: 100, burst: 2_000),
    reportsADay: Int? = 200, appealsADay: Int = 30, connectionsPerNetwork: Int? = 512, bodyBytes: Int = 64 << 20
  ) {
    self.app = app
    self.network = network
    self.reportsADay = reportsADay
    self.appealsADay = appealsADay
    self.connectionsPerNetwork = connectionsPerNetwork
    self.bodyBytes = bodyBytes
  }

  /// The default limits.
  package static let standard = RequestLimits()

  /// No limits except the memory of bodies: for benchmarks, and behind a gateway with its own limits.
  package static let off = RequestLimits(app: nil, network: nil, reportsADay: nil, connectionsPerNetwork: nil)
}
