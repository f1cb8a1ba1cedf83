/// Where a filing came from, by keyed hashes; nil where that is not known or was forgotten.
public struct FilingOrigin: Sendable, Hashable {
  /// The network of who sent it.
  public var network: [UInt8]?
  /// The greater part of the net that the network lies in, which one owner of many networks has in common.
  public var area: [UInt8]?

  /// From nowhere that is known.
  public static let unknown = FilingOrigin(network: nil, area: nil)

  /// - Parameters: see the properties.
  public init(network: [UInt8]?, area: [UInt8]?) {
    self.network = network
    self.area = area
  }
}

/// Whose words an open appeal has room for: as many as a moderator reads, shared evenly between those who want to be heard.
///
/// While there is room everybody is heard. Then a newcomer takes the place of the newest filing of the network that has
/// most of them, if that still leaves it as many as the newcomer's own network then has. Where all networks have as many,
/// the same goes for areas. So a flood from few networks, or from many of one area, keeps nobody from elsewhere out. Every
/// such exchange makes the shares more even, so their number is bounded however many are sent. Filings whose origin is not
/// known any more keep their places: they came first, and taking them for one network would let any newcomer push them out.
public enum FilingPlaces {
  /// Places in an open appeal.
  public static let most = 50

  /// What a newcomer is answered.
  public enum Answer: Equatable, Sendable {
    /// There is room.
    case free
    /// The filing at this index has to give its place up.
    case inPlaceOf(Int)
    /// The shares are even already.
    case none
  }

  /// - Parameter held: who has the places, the oldest first.
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
    // Of its networks one that has more than the newcomer's, or the exchange could be turned round again.
    let last = held.lastIndex { place in
      guard let network = place.network, let area = place.area else { return false }
      return areas[area] == widest && (networks[network] ?? 0) > own
    }
    guard widest > held.count(where: { $0.area == newcomer.area }) + 1, let last else { return .none }
    return .inPlaceOf(last)
  }
}
