/// The complaints about a number, sorted by what they have in common.
struct Crowd {
  /// Reporters who complain, in the window and before it.
  let complainers: Int
  /// Those of the window who are new.
  let newcomers: Set<Reporter>
  /// Those of the window by network, where there are enough of one.
  let networks: [UInt64: Set<Reporter>]
  /// Those of the window by text, where there are enough of one.
  let texts: [UInt64: Set<Reporter>]
  /// Those of the day of the window with most of them.
  let peak: Set<Reporter>

  init(_ voices: [Voice]) {
    let toxic = voices.filter(\.isToxic)
    let recent = toxic.filter { $0.age < Brigading.window }
    complainers = toxic.count
    newcomers = Set(recent.lazy.filter(\.isNew).map(\.reporter))
    networks = Self.clusters(recent, by: \.network)
    texts = Self.clusters(recent, by: \.text)
    let days = Dictionary(grouping: recent, by: \.age).mapValues { Set($0.map(\.reporter)) }
    peak = days.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value ?? []
  }

  private static func clusters(_ voices: [Voice], by key: (Voice) -> UInt64?) -> [UInt64: Set<Reporter>] {
    var clusters: [UInt64: Set<Reporter>] = [:]
    for voice in voices {
      if let key = key(voice) { clusters[key, default: []].insert(voice.reporter) }
    }
    return clusters.filter { $0.value.count >= Brigading.leastCluster }
  }
}
