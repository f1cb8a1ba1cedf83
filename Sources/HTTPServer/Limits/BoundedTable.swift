/// Values by key in memory of a fixed size, of which the least are forgotten first.
///
/// A key has eight places to be in, chosen by its hash. When all are taken, the one of the least value is given up: of
/// buckets that is the fullest, of counts the smallest, so what is at its limit is the last to be forgotten. Whoever
/// wants a key of theirs forgotten needs eight others that share its places and are worse off; hashes are seeded anew
/// in every process, so they cannot be aimed, and each of those others is held to a limit of its own.
///
/// A table of shared counters without keys would never forget, but whoever commands many keys could raise the counters
/// of everybody. Here a flood of keys harms only what is remembered of those who have sent little.
struct BoundedTable: Sendable {
  private struct Place {
    var key: UInt64 = 0
    /// 0 where nobody is.
    var value: UInt64 = 0
  }

  private static let places = 8
  private var table: [Place]
  private let mask: Int

  /// - Parameter capacity: rounded up to a power of two; each place takes 16 bytes.
  init(capacity: Int) {
    var sets = 1
    while sets * Self.places < capacity { sets *= 2 }
    table = Array(repeating: Place(), count: sets * Self.places)
    mask = sets - 1
  }

  /// The value of a key; 0 where there is none.
  subscript(key: some Hashable) -> UInt64 {
    get {
      let hash = Self.hash(key)
      return places(of: hash).lazy.map { table[$0] }.first { $0.key == hash }?.value ?? 0
    }
    set {
      let hash = Self.hash(key)
      let places = places(of: hash)
      let place =
        places.first { table[$0].key == hash } ?? places.min { table[$0].value < table[$1].value } ?? places.lowerBound
      table[place] = Place(key: hash, value: newValue)
    }
  }

  mutating func removeAll() {
    for place in table.indices { table[place] = Place() }
  }

  /// Two keys share a hash of 64 bits so seldom that keys are not kept.
  private static func hash(_ key: some Hashable) -> UInt64 {
    UInt64(bitPattern: Int64(key.hashValue))
  }

  private func places(of hash: UInt64) -> Range<Int> {
    let first = (Int(truncatingIfNeeded: hash >> 20) & mask) * Self.places
    return first..<first + Self.places
  }
}
