// SPDX-License-Identifier: Apache-2.0

/// The complaints about a number, grouped by common features.
struct VoteSummary {
  /// Reporters who complain, in the window and before it.
  let complainers: Int
  /// Reporters of the window who are newcomers.
  let newcomers: Set<Reporter>
  /// Reporters of the window by network, where enough of them share one.
  let networks: [UInt64: Set<Reporter>]
  /// Reporters of the window by text, where enough of them share one.
  let texts: [UInt64: Set<Reporter>]
  /// Reporters of the day of the window with the most reporters.
  let peak: Set<Reporter>

  init(_ votes: [ReporterVote]) {
    let toxic = votes.filter(\.isToxic)
    let recent = toxic.filter { $0.age < BrigadeDetection.window }
    complainers = toxic.count
    newcomers = Set(recent.lazy.filter(\.isNew).map(\.reporter))
    networks = Self.clusters(recent, by: \.network)
    texts = Self.clusters(recent, by: \.text)
    let days = Dictionary(grouping: recent, by: \.age).mapValues { Set($0.map(\.reporter)) }
    peak = days.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value ?? []
  }

  private static func clusters(_ votes: [ReporterVote], by key: (ReporterVote) -> UInt64?) -> [UInt64: Set<Reporter>] {
    var clusters: [UInt64: Set<Reporter>] = [:]
    for vote in votes {
      if let key = key(vote) { clusters[key, default: []].insert(vote.reporter) }
    }
    return clusters.filter { $0.value.count >= BrigadeDetection.leastCluster }
  }
}
