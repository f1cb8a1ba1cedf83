/// How much apps, networks and reporters may send.
///
/// The defaults let every honest sender through. A whole app may send 10,000 reports a second, more than one
/// PostgreSQL takes from single requests. A network (/24 or /48) may hold 256 addresses of a carrier with a thousand
/// phones behind each; at three reports a phone and day that is 9 a second, a tenth of what it may send; its burst is
/// two full batches. Nobody is rung by 200 nuisance callers a day.
package struct RequestLimits: Sendable {
  /// A bucket of tokens that fills steadily; a report takes one.
  package struct Rate: Sendable, Equatable {
    /// Tokens a second, 1 to 1,000,000.
    package let perSecond: Int
    /// What a full bucket holds, from 1.
    package let burst: Int

    /// - Parameters: see the properties.
    package init(perSecond: Int, burst: Int) {
      precondition((1...1_000_000).contains(perSecond) && (1...1_000_000_000).contains(burst))
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  /// Of one app; nil for no limit.
  package var app: Rate?
  /// Of one network, whatever app its requests name; nil for no limit.
  package var network: Rate?
  /// Reports a reporter may send in a UTC day; nil for no limit.
  package var reportsADay: Int?
  /// Appeals that a network may send in a UTC day with a proof of work; without one a sixth of them.
  package var appealsADay: Int
  /// Connections that one network may hold open; nil for no limit. Of no use behind a proxy.
  package var connectionsPerNetwork: Int?
  /// The most bytes of request bodies in memory at once; one network may take a quarter.
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

  /// What holds unless an operator says otherwise.
  package static let standard = RequestLimits()

  /// None but that of memory: for benchmarks, and behind a gateway that has limits of its own.
  package static let off = RequestLimits(app: nil, network: nil, reportsADay: nil, connectionsPerNetwork: nil)
}
