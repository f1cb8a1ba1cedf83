// SPDX-License-Identifier: Apache-2.0

/// The origin of a filing, as keyed hashes; nil where it is unknown or was deleted.
public struct FilingOrigin: Sendable, Hashable {
  public var network: [UInt8]?
  /// The larger address block around the network, shared by many networks of one owner.
  public var area: [UInt8]?

  public static let unknown = FilingOrigin(network: nil, area: nil)

  public init(network: [UInt8]?, area: [UInt8]?) {
    self.network = network
    self.area = area
  }
}

/// The places for statements in an open appeal: as many as a moderator reads, shared evenly between networks.
///
/// While there are free places, everyone gets one. After that a newcomer replaces the newest filing of the network with
/// the most filings, if that network then still has at least as many as the newcomer's. Where all networks have equally
/// many, the same rule applies to areas. So a flood from few networks, or from many of one area, keeps no one else out.
/// Each replacement makes the shares more even, so the number of replacements is bounded. Filings of unknown origin
/// keep their places: they came first, and counting them as one network would let any newcomer replace them.
public enum FilingPlaces {
  /// Places in an open appeal.
  public static let most = 50

  public enum Answer: Equatable, Sendable {
    case free
    /// The newcomer replaces the filing at this index.
    case inPlaceOf(Int)
    /// All places are taken, and the shares are even already.
    case none
  }

  /// - Parameter held: origins of the filings that hold the places, the oldest first.
  public static func answer(to newcomer: FilingOrigin, among held: [FilingOrigin]) -> Answer {
    guard held.count >= most else { return .free }
    let networks = Dictionary(grouping: held.compactMap(\.network), by: \.self).mapValues(\.count)
    let own = held.count { $0.network == newcomer.network }
    let greediest = networks.values.max() ?? 0
    if greediest > own + 1, let last = held.lastIndex(where: { $0.network.map { networks[$0] == greediest } ?? false })
    {
      return .inPlaceOf(last)
    }
    let areas = Dictionary(grouping: held.compactMap(\.area), by: \.self).mapValues(\.count)
    let widest = areas.values.max() ?? 0
    // Only a network of the area with more places than the newcomer's, or the replacement could be reversed.
    let last = held.lastIndex { place in
      guard let network = place.network, let area = place.area else { return false }
      return areas[area] == widest && (networks[network] ?? 0) > own
    }
    guard widest > held.count(where: { $0.area == newcomer.area }) + 1, let last else { return .none }
    return .inPlaceOf(last)
  }
}
