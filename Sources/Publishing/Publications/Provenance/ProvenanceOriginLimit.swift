// SPDX-License-Identifier: Apache-2.0

/// Limits the origins of evidence files. Other servers choose the origins that they send, and subscribers refuse a file
/// with too many: without limits one server could make this server's files useless.
struct ProvenanceOriginLimit {
  /// The most origins of a row.
  static let mostOfRow = 64
  /// The most servers in all rows, and the most combinations of several: well below the limits of subscribers.
  static let mostServers = 4_000
  static let mostCombinations = 50_000

  /// Origins, beside this server and those that it is subscribed to, of the first rows and of each further one. Later rows
  /// have fewer, so that invented origins cannot make the file many times larger.
  static let mostAtFirst = 65_536
  static let mostForRow = 4

  private let server: ServerID
  private let subscribed: Set<ServerID>
  private var budget = mostAtFirst
  private var servers: Set<ServerID>
  private var combinations: Set<[ServerID]> = []

  /// - Parameters:
  ///   - server: the id of this server.
  ///   - subscribed: the servers that it is subscribed to, which come first.
  init(server: ServerID, subscribed: Set<ServerID> = []) {
    self.server = server
    self.subscribed = subscribed
    servers = subscribed.union([server])
  }

  /// The origins of a number, ascending. This server is one only with evidence of its own, whatever others say, unless
  /// nothing else is known.
  /// - Parameter isReported: whether reporters here have complained, who are too few to be evidence beside that of others.
  /// - Returns: nil where the number has origins, and none is within the limit of servers.
  mutating func origins(_ others: [ServerID], hasOwn: Bool, isReported: Bool = false) -> [ServerID]? {
    let others = Set(others).subtracting([server])
    budget += Self.mostForRow
    var kept = Array(others.intersection(subscribed).sorted().prefix(Self.mostOfRow - 1))
    for origin in others.subtracting(subscribed).sorted() where kept.count < Self.mostOfRow - 1 && budget > 0 {
      guard servers.count < Self.mostServers || servers.contains(origin) else { continue }
      servers.insert(origin)
      kept.append(origin)
      budget -= 1
    }
    kept.sort()
    if hasOwn || others.isEmpty || kept.isEmpty && isReported { return limited((kept + [server]).sorted()) }
    return kept.isEmpty ? nil : limited(kept)
  }

  private mutating func limited(_ origins: [ServerID]) -> [ServerID] {
    guard origins.count > 1, !combinations.contains(origins) else { return origins }
    guard combinations.count < Self.mostCombinations else {
      return [origins.contains(server) ? server : origins.first(where: subscribed.contains) ?? origins[0]]
    }
    combinations.insert(origins)
    return origins
  }
}
